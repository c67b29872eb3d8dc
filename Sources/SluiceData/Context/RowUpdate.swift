import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Writes some properties of rows of one class, through one prepared statement.
final class RowUpdate {
    private let statement: Statement
    private let writer: _RowWriter
    private let keyPosition: Int32

    init(_ binding: EntityBinding, properties: [Int], store: Store, keys: RowKeys, state: _ModelState) throws {
        let written = properties.compactMap { binding.columns[$0] }
        let update = try store.updateStatement(table: binding.entity.table, columns: written)
        let wanted = Set(properties)
        func places(_ positions: [Int32]) -> [Int32] {
            binding.columns.enumerated().map { index, column in
                guard let column, wanted.contains(index) else { return 0 }
                return positions[column]
            }
        }
        statement = update.statement
        keyPosition = update.key
        writer = _RowWriter(
            update.statement, positions: places(update.positions), shadows: places(update.shadows), state: state, binding: binding, keys: keys,
            external: store.externalWriter)
    }

    func run(_ model: any PersistentModel, row: Int64) throws {
        defer { statement.reset() }
        writer.aim(at: model._$state)
        model._$encode(writer)
        try writer.check()
        try statement.bind(row, at: keyPosition)
        while try statement.step() {}
    }
}

/// Values of a model as its row would hold them, for comparison with rows that are there.
struct RowValues {
    private let binding: EntityBinding
    private let store: Store
    private let keys: RowKeys

    init(_ binding: EntityBinding, store: Store, keys: RowKeys) {
        self.binding = binding
        self.store = store
        self.keys = keys
    }

    /// Of the columns by which rows are told apart. The others may be large, and are not compared.
    func cells(of model: any PersistentModel) throws -> [Cell] {
        let wanted = Set(binding.entity.identity + binding.entity.uniqueness.flatMap { $0 })
        let held = binding.columns.enumerated().compactMap { index, column in
            column.flatMap { wanted.contains($0) ? (index: index, column: $0) : nil }
        }
        guard !held.isEmpty else { return [] }
        // SQLite itself says how the bound values look.
        let statement = try store.echoStatement(count: held.count)
        var positions = [Int32](repeating: 0, count: binding.columns.count)
        for (place, entry) in held.enumerated() { positions[entry.index] = Int32(place + 1) }
        let writer = _RowWriter(
            statement, positions: positions, shadows: positions.map { _ in 0 }, state: model._$state, binding: binding, keys: keys,
            external: store.externalWriter)
        model._$encode(writer)
        try writer.check()
        guard try statement.step() else { return [] }
        return held.enumerated().map { place, entry in Cell(column: entry.column, value: statement.value(Int32(place))) }
    }
}
