import Foundation
import SluiceSchema
import SluiceSQLite

/// One fetch of values: its statement, and the columns that were asked for. Public for `fetchValues`, which is compiled into the caller's
/// module for the sake of its types.
public final class _ValueRows {
    private let core: ContextCore
    private let binding: EntityBinding
    private let statement: FetchStatement
    private let limit: Int?
    private let offset: Int
    private var columns: [SQLFragment] = []

    /// - Throws: what a fetch with that descriptor throws.
    public init<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, in context: ModelContext) throws {
        core = context.core
        binding = try core.schema.require(Model.self)
        statement = try FetchStatement(descriptor, of: binding, in: core.schema)
        (limit, offset) = (descriptor.limit, descriptor.offset)
    }

    /// Adds a column.
    public func column<Value>(_ keyPath: KeyPath<some PersistentModel, Value>) throws -> _ValueColumn<Value> {
        let (sql, column): (SQLFragment, _ValueColumn<Value>) =
            try _ValueColumn.of(keyPath, binding, statement.translator, number: Int32(columns.count))
        columns.append(sql)
        return column
    }

    /// The models, where only they know the values: some are edited, or a custom store has the rows. nil otherwise.
    public func editedModels<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model]? {
        let isEdited = descriptor.includePendingChanges && core.hasPending(in: statement.visited.union([binding.tableID]))
        guard isEdited || binding.store.custom != nil else { return nil }
        var whole = descriptor
        whole.propertiesToFetch = []
        return try core.fetch(whole)
    }

    /// Calls `body` for each row, in the order of the descriptor.
    public func forEach(_ body: (_RowReader) throws -> Void) throws {
        let selection: SQLFragment = columns.isEmpty ? "NULL" : columns.joined(by: ", ")
        let (sql, values) = statement.selecting(selection, limit: limit, offset: offset)
        try withExtendedLifetime(statement) {
            try binding.store.read { connection in
                try connection.withStatement(sql, values) { statement in
                    let reader = _RowReader(statement, columns: binding.columnMap, state: _ModelState(), binding: binding)
                    while try statement.step() { try body(reader) }
                }
            }
        }
    }
}

/// How one of the values is read.
public struct _ValueColumn<Value> {
    @usableFromInline let read: (_RowReader, Int32) throws -> Value
    @usableFromInline let number: Int32

    /// The value in the row at hand.
    @inlinable
    public func value(in row: _RowReader) throws -> Value { try read(row, number) }

    static func of(
        _ keyPath: AnyKeyPath, _ binding: EntityBinding, _ translator: PredicateTranslator, number: Int32
    ) throws -> (SQLFragment, _ValueColumn) {
        let form: ColumnForm
        let sql: SQLFragment
        switch try translator.stored(keyPath, of: binding) {
        case .value(let value): (sql, form) = (value.sql, value.form)
        case .external(_, let value): return (value.sql, _ValueColumn(read: try external(keyPath, binding, value.form), number: number))
        default:
            throw SwiftDataError.unsupportedKeyPath.because("\(keyPath) of \(binding.entity.name) leads to a model: name one of its attributes")
        }
        if let direct = direct(keyPath, binding) { return (sql, _ValueColumn(read: direct, number: number)) }
        return (sql, _ValueColumn(read: { row, column in try value(form.decode(row.stored(column)), keyPath, binding) }, number: number))
    }

    /// A scalar attribute is read as a model reads it.
    private static func direct(_ keyPath: AnyKeyPath, _ binding: EntityBinding) -> ((_RowReader, Int32) throws -> Value)? {
        guard let path = binding.shape.path(for: keyPath), path.members.isEmpty, case .scalar? = path.properties.last?.attributeKind,
            let type = Value.self as? any _StoredValue.Type
        else { return nil }
        func reading<Stored: _StoredValue>(_ type: Stored.Type) -> Any {
            let read: (_RowReader, Int32) throws -> Stored = { row, column in Stored._$read(row, column) }
            return read
        }
        return reading(type) as? (_RowReader, Int32) throws -> Value
    }

    /// Large values lie in files. One that cannot be read is an error here: there is no model that could be asked again.
    private static func external(
        _ keyPath: AnyKeyPath, _ binding: EntityBinding, _ form: ColumnForm
    ) throws -> (_RowReader, Int32) throws -> Value {
        { row, column in
            let bytes: Data?
            do throws(ExternalValueFault) { bytes = try row.bytes(column) } catch {
                throw SwiftDataError.reading(because: error.of("\(keyPath)", in: binding.entity.name, record: nil))
            }
            return try value(form.decode(bytes.map(SQLiteValue.blob) ?? .null), keyPath, binding)
        }
    }

    private static func value(_ found: Any?, _ keyPath: AnyKeyPath, _ binding: EntityBinding) throws -> Value {
        if let value = typed(found, as: Value.self) { return value }
        throw SwiftDataError.unsupportedKeyPath.because(
            "\(keyPath) of \(binding.entity.name) has a value in the store that is none of \(Value.self)")
    }
}
