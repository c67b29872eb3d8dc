public import Foundation
import SluiceStore
import SluiceSQLite
struct FetchTranslation { var condition = ""; var values: [SQLiteValue] = []; var order = ""; var visited: Set<Int> = []
  init<M>(_ d: FetchDescriptor<M>, of: EntityBinding, in: ContainerSchema) throws {} }
