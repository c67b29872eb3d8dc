// Ours; SwiftData has no batch update. One statement changes the rows, in a transaction like that of a save: history has every row that
// changed, unique values stay unique, and what anybody reads is all of it or nothing.

public import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

extension ModelContext {
    /// Changes properties of every matching row at once, in a transaction of its own.
    ///
    ///     let count = try context.update(Item.self, where: #Predicate { $0.isDone }, set: .set(\.isArchived, to: true), .increment(\.version, by: 1))
    ///
    /// Instances that this context has of the rows read their new values afterwards; other contexts see them when they next fetch.
    /// - Parameters:
    ///   - predicate: nil for every row of the class.
    ///   - includeSubclasses: whether rows of subclasses count.
    ///   - changes: each property at most once. They all look at the row as it was before.
    /// - Returns: how many rows were changed.
    /// - Throws: `SwiftDataError.unsavedChanges` where the context has some in the classes concerned, `.unsupportedPredicate`,
    ///   `.unsupportedKeyPath`, `.arithmeticOverflow`, `.modelValidationFailure` where rows would no longer be unique, or the store's
    ///   error. Then nothing is changed.
    @discardableResult
    public func update<Model: PersistentModel>(
        _ model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true, set changes: PropertyChange<Model>...
    ) throws -> Int {
        try core.update(where: predicate, includingSubclasses: includeSubclasses, changes, author: author)
    }
}

extension ContextCore {
    fileprivate func update<Model: PersistentModel>(
        where predicate: Predicate<Model>?, includingSubclasses: Bool, _ changes: [PropertyChange<Model>], author: String?
    ) throws -> Int {
        guard !changes.isEmpty else { return 0 }
        let binding = try schema.require(Model.self)
        let statement = try FetchStatement(FetchDescriptor(predicate: predicate), of: binding, in: schema, includingSubclasses: includingSubclasses)
        let assigned = try values(changes, statement)
        guard !hasPending(in: statement.visited.union([binding.tableID])) else {
            throw SwiftDataError.unsavedChanges.because("an update of \(binding.entity.name) changes the store: save the context first, or roll it back")
        }
        let update = rowsUpdate(assigned, statement)
        let (keysSQL, keyValues) = statement.selecting("t._pk")
        return try withExtendedLifetime(statement) {
            try translatingErrors(of: binding) {
                let (count, touched) = try binding.store.commit(author: author) { store in
                    let touched = try registeredKeys(store.connection, keysSQL, keyValues, table: binding.tableID)
                    return (try store.updateMany(update), touched)
                }
                refresh(touched, table: binding.tableID, generation: binding.store.generation)
                if changes.contains(where: { isReference($0.keyPath, of: binding) }) { refreshMembers(ofTable: binding.tableID) }
                return count
            }
        }
    }

    private func values<Model>(_ changes: [PropertyChange<Model>], _ statement: FetchStatement) throws -> [(ChangedProperty, SQLFragment)] {
        var changed: Set<Int> = []
        var values: [(ChangedProperty, SQLFragment)] = []
        let visited = try statement.translator.visits {
            for change in changes {
                let property = try ChangedProperty(change.keyPath, of: statement.binding)
                guard changed.insert(property.property.index).inserted else {
                    throw SwiftDataError.unsupportedKeyPath.because(
                        "\(change.keyPath) of \(statement.binding.entity.name) is changed twice in one update")
                }
                values.append((property, try change.value(statement.translator, property)))
            }
        }
        // While the statement runs, some rows of the table are new and some are old.
        guard !visited.contains(statement.binding.tableID) else {
            throw SwiftDataError.unsupportedPredicate.because(
                "a new value of \(statement.binding.entity.name) is worked out from other rows of that class, which change meanwhile: set it on models")
        }
        return values
    }

    private func rowsUpdate(_ assigned: [(property: ChangedProperty, value: SQLFragment)], _ statement: FetchStatement) -> ManyRowsUpdate {
        let binding = statement.binding
        let table = binding.store.layout.table(of: binding.entity).sql
        let assignments = assigned.map { $0.property.assignment($0.value) }
        let update: SQLFragment = "UPDATE \(sql: table) AS t SET \(assignments.joined(by: ", "))\(statement.condition)"
        // What Swift works out row by row takes longer than the triggers that are saved by working it out twice.
        let repeats = !update.text.contains(SQLFunctions.call)
        return ManyRowsUpdate(
            table: binding.entity.table,
            changes: assigned.map { ManyRowsUpdate.Change(column: $0.property.place, value: ManyRowsUpdate.Part($0.value.text, $0.value.values)) },
            condition: ManyRowsUpdate.Part(statement.condition.text, statement.condition.values), repeats: repeats,
            statement: ManyRowsUpdate.Part(update.text, update.values))
    }

    /// Keys of matching rows that this context has instances of.
    private func registeredKeys(_ connection: Connection, _ sql: String, _ values: [SQLiteValue], table: Int) throws -> [Int64] {
        guard maps[table].count > 0 else { return [] }
        var keys: [Int64] = []
        try connection.forEachRow(sql, values) { row in
            if registered(row.integer(0), table: table) != nil { keys.append(row.integer(0)) }
        }
        return keys
    }

    /// Instances forget what they know of their rows and read it again when it is asked for.
    private func refresh(_ keys: [Int64], table: Int, generation: UInt64) {
        for key in keys {
            guard let model = registered(key, table: table) else { continue }
            unload(model)
            model._$state.generation = generation
            notifyAll(model)
        }
    }

    private func isReference(_ keyPath: AnyKeyPath, of binding: EntityBinding) -> Bool {
        binding.shape.property(for: keyPath).map { binding.linkIndex(at: $0.index) != nil } ?? false
    }

    /// A reference that changed is a member more or less elsewhere.
    private func refreshMembers(ofTable table: Int) {
        for binding in schema.bindings {
            for (place, link) in binding.links.enumerated() where link.table == table && link.isToMany {
                for state in maps[binding.tableID].states where state.binding === binding && !state.isChanged(link.property) {
                    state.unload(link: place)
                    if let model = state.model { notify(model, at: link.property) }
                }
            }
        }
    }

    private func translatingErrors<Result>(of binding: EntityBinding, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            if error.code.primary == .constraint {
                throw SwiftDataError.modelValidationFailure.because(
                    "an update of \(binding.entity.name) would leave two rows with one unique value; nothing was changed", underlyingError: error)
            }
            if error.message.contains(SQLFunctions.MissingValue.message) {
                throw SwiftDataError.arithmeticOverflow.because(
                    "an update of \(binding.entity.name) works out a value that does not fit its property; nothing was changed", underlyingError: error)
            }
            throw error
        }
    }
}
