// SwiftData's clients use Foundation's types without importing it: a model file that compiles there imports one module (article 004's E1).

@_exported public import Foundation
@_exported public import Observation
