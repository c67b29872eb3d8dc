// Sources that say `import SwiftData` compile as they are.

@_exported public import SluiceData
