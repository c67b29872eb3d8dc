import Foundation
import SluiceSchema
import SluiceSQLite

/// A statement over the rows of one class that gives figures instead of models.
struct AggregateQuery {
    let statement: FetchStatement
    private let core: ContextCore

    var binding: EntityBinding { statement.binding }

    init<Model: PersistentModel>(_ predicate: Predicate<Model>?, core: ContextCore) throws {
        self.core = core
        statement = try FetchStatement(FetchDescriptor(predicate: predicate), of: core.schema.require(Model.self), in: core.schema)
    }

    /// - Throws: `SwiftDataError.unsavedChanges` where the context has some that would count.
    func check(includePendingChanges: Bool) throws {
        guard includePendingChanges, core.hasPending(in: statement.visited.union([binding.tableID])) else { return }
        throw SwiftDataError.unsavedChanges.because(
            "figures over \(binding.entity.name) come from the store: save first, or leave unsaved changes out with includePendingChanges: false")
    }

    func rows(_ columns: [SQLFragment], then clauses: SQLFragment = "") throws -> [[SQLiteValue]] {
        let query: SQLFragment = "SELECT \(columns.joined(by: ", ")) \(statement.source)\(clauses)"
        return try withExtendedLifetime(statement) {
            do {
                return try binding.store.read { connection in try connection.rows(query.text, query.values) { $0.values() } }
            } catch let error as SQLiteError where error.message.contains("integer overflow") {
                throw SwiftDataError.arithmeticOverflow.because(
                    "a sum over \(binding.entity.name) does not fit 64 bits: add up parts of it, or store decimals", underlyingError: error)
            }
        }
    }
}

/// What the rows of a statement are grouped by.
struct AggregateGrouping {
    /// The column of the key.
    let column: SQLFragment
    /// ` GROUP BY … ORDER BY …`
    let clauses: SQLFragment
    private let keyPath: AnyKeyPath
    private let entity: String
    private let key: Key

    private enum Key {
        case value(ColumnForm)
        case model(EntityBinding)
    }

    init(_ keyPath: AnyKeyPath, _ query: AggregateQuery) throws {
        self.keyPath = keyPath
        entity = query.binding.entity.name
        let translator = query.statement.translator
        switch try translator.stored(keyPath, of: query.binding) {
        case .row(let row):
            (column, key) = (row.key, .model(row.binding))
            clauses = " GROUP BY \(column) ORDER BY \(column)"
        case .value(let value):
            (column, key) = (value.comparison, .value(value.form))
            // Values that have no order of theirs come in that of their bytes.
            let order = value.form.comparison == .opaque ? [value.sql] : try translator.expressions(for: value, keyPath, of: query.binding)
            clauses = " GROUP BY \(column) ORDER BY \(order.joined(by: ", "))"
        case .external(let property, _): throw SwiftDataError.notFigured(property)
        default: throw SwiftDataError.unknownProperty(keyPath, of: query.binding.type)
        }
    }

    /// The values that the column stands for.
    func values<Value>(_ stored: [SQLiteValue], as type: Value.Type, core: ContextCore) throws -> [Value] {
        switch key {
        case .value(let form): return try stored.map { try value(form.decode($0)) }
        case .model(let binding):
            let models = try core.models(of: stored.compactMap { $0.integer.map { ($0, binding) } })
            let byKey = Dictionary(models.map { ($0._$state.key, $0) }, uniquingKeysWith: { first, _ in first })
            return try stored.map { stored in try value(stored.integer.flatMap { byKey[$0] }) }
        }
    }

    /// The same, each value once.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where two groups have one value: what the store tells apart is the same to Swift.
    func keys<Value>(_ stored: [SQLiteValue], as type: Value.Type, core: ContextCore) throws -> [Value] {
        let values = try values(stored, as: type, core: core)
        let distinct = Set(values.compactMap { ($0 as? any Hashable).map { AnyHashable($0) } })
        guard distinct.isEmpty || distinct.count == values.count else {
            throw SwiftDataError.unsupportedKeyPath.because(
                "\(keyPath) of \(entity) cannot be grouped by: some values that the store tells apart are equal to Swift")
        }
        return values
    }

    private func value<Value>(_ found: Any?) throws -> Value {
        if let value = typed(found, as: Value.self) { return value }
        throw SwiftDataError.unsupportedKeyPath.because("\(keyPath) of \(entity) has a value in the store that is none of \(Value.self)")
    }
}
