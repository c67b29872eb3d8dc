import SluiceSchema
import SluiceSQLite

/// Makes models of the rows of one statement over one table: the registered instance where there is one, a new one otherwise.
final class RowMaterializer {
    private let core: ContextCore
    private let store: OpenStore
    private let table: Int
    private let tableID: Int
    /// The class of every row, where the table has only one.
    private let onlyBinding: EntityBinding?
    private let generation: UInt64
    /// nil where the statement selects what every fetch does.
    private let partial: PartialSelection?
    /// Whether the context has instances of the table's rows from before; a statement gives each row once.
    private let mayBeKnown: Bool
    /// One for the whole statement.
    private var reader: _RowReader?

    /// - Parameter binding: the class that is fetched.
    convenience init(_ core: ContextCore, rowsOf binding: EntityBinding, partial: PartialSelection?) {
        let isHierarchy = binding.store.layout.tables[binding.entity.table].isHierarchy
        self.init(core, store: binding.store, table: binding.entity.table, tableID: binding.tableID, only: isHierarchy ? nil : binding, partial)
    }

    convenience init(_ core: ContextCore, store: OpenStore, table: Int) {
        let isHierarchy = store.layout.tables[table].isHierarchy
        let only = isHierarchy ? nil : core.schema.binding(of: store, table: table, discriminator: nil)
        self.init(core, store: store, table: table, tableID: core.schema.tableID(of: store, table: table), only: only, nil)
    }

    private init(_ core: ContextCore, store: OpenStore, table: Int, tableID: Int, only: EntityBinding?, _ partial: PartialSelection?) {
        self.core = core
        self.store = store
        self.table = table
        generation = store.generation
        self.partial = partial
        onlyBinding = only
        self.tableID = tableID
        mayBeKnown = core.maps[tableID].count > 0
    }

    /// nil for a row of a class that the container does not know.
    func model(from statement: Statement) -> (any PersistentModel)? {
        let key = statement.integer(0)
        if mayBeKnown, let state = core.maps[tableID][key], let model = state.model {
            refresh(model, state, from: statement)
            return model
        }
        guard let binding = onlyBinding ?? core.schema.binding(of: store, table: table, discriminator: statement.text(1)) else { return nil }
        let state = _ModelState(core: core, binding: binding, key: key)
        let model = binding.type.init(_$state: state)
        state.model = model
        state.generation = generation
        core.register(state)
        decode(model, state, of: binding, from: statement, fill: .fresh)
        return model
    }

    /// What somebody else saved shows up; what was edited here stays.
    private func refresh(_ model: any PersistentModel, _ state: _ModelState, from statement: Statement) {
        guard let binding = state.binding, state.phase == .saved || state.phase == .deleted else { return }
        // Before the statement fills those that it has.
        if state.generation != generation, !binding.lateProperties.isEmpty { core.unloadLateProperties(of: model, binding) }
        decode(model, state, of: binding, from: statement, fill: .refresh)
        guard state.generation != generation else { return }
        state.generation = generation
        if state.isObserved { core.notifyAll(model) }
    }

    private func decode(
        _ model: any PersistentModel, _ state: _ModelState, of binding: EntityBinding, from statement: Statement, fill: _RowReader.Fill
    ) {
        let columns = partial?.map(for: binding) ?? UnsafePointer(binding.columnMap)
        let reader = self.reader ?? _RowReader(statement, columns: columns, state: state, binding: binding)
        self.reader = reader
        reader.aim(at: state, of: binding, columns: columns, fill: fill)
        model._$decode(reader)
    }
}
