public import Foundation
import SluiceStore
import SluiceSQLite
public protocol ModelActor: Actor {}
