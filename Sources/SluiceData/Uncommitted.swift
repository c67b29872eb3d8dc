public import Foundation
import SluiceStore
import SluiceSQLite
extension PersistentIdentifier {
  init(storeIdentifier: String, entityName: String, row: Int64) { self.init() }
  init(entityName: String, temporary: Int64) { self.init() }
  init(entityName: String, unregistered: AnyObject) { self.init() }
  var rowKey: Int64? { nil }
  public var entityName: String { "" }
  public var storeIdentifier: String? { nil }
}
public struct ModelConfiguration: Hashable, Sendable { public var name = ""; public var url: URL; public var schema: Schema?; public var isStoredInMemoryOnly = false; public var allowsSave = true
  public init(schema: Schema) { url = URL(filePath: "/tmp") }
  func validate() throws {} }
public final class UndoManager { func removeAllActions() {}; func registerUndo<T: AnyObject>(withTarget: T, handler: @escaping (T) -> Void) {} }
public protocol ModelActor: Actor {}
struct FetchTranslation { var condition = ""; var values: [SQLiteValue] = []; var order = ""; var visited: Set<Int> = []
  init<M>(_ d: FetchDescriptor<M>, of: EntityBinding, in: ContainerSchema) throws {} }
public protocol SchemaMigrationPlan {}
struct NSValueTransformerName { init(_ s: String) {} }
extension ValueTransformer { convenience init?(forName: NSValueTransformerName) { return nil }
 func transformedValue(_ v: Any?) -> Any? { nil }
 func reverseTransformedValue(_ v: Any?) -> Any? { nil } }
