public import Foundation
import SluiceStore
import SluiceSQLite
public struct ModelConfiguration: Hashable, Sendable { public var name = ""; public var url: URL; public var schema: Schema?; public var isStoredInMemoryOnly = false; public var allowsSave = true
  public init(isStoredInMemoryOnly: Bool = false) { url = URL(filePath: "/tmp/x.store"); self.isStoredInMemoryOnly = isStoredInMemoryOnly }
  public init(url: URL) { self.url = url }
  public init(schema: Schema) { url = URL(filePath: "/tmp") }
  func validate() throws {} }
public final class UndoManager { func removeAllActions() {}; func registerUndo<T: AnyObject>(withTarget: T, handler: @escaping (T) -> Void) {} }
struct FetchTranslation { var condition = ""; var values: [SQLiteValue] = []; var order = ""; var visited: Set<Int> = []
  init<M>(_ d: FetchDescriptor<M>, of: EntityBinding, in: ContainerSchema) throws {} }
