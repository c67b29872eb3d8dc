// History of one open store: from entries of its log to transactions of model classes.

import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Reads the history of one store, on one consistent state of it.
struct StoreHistory {
    let log: LogReader
    private let store: OpenStore
    private let schema: ContainerSchema

    /// Runs `body` on the store's history as it is now. Not at all for a store that keeps none; then the result is nil.
    static func read<Result>(_ store: OpenStore, in schema: ContainerSchema, _ body: (StoreHistory) throws -> Result) throws -> Result? {
        guard store.custom == nil else { return nil }
        return try store.read { connection in
            guard let log = try LogReader(connection, layout: store.layout, lastWrite: { store.lastWrite }) else { return nil }
            let history = StoreHistory(log: log, store: store, schema: schema)
            return connection.isInTransaction ? try body(history) : try connection.transaction(.deferred) { try body(history) }
        }
    }

    // MARK: Transactions

    /// Calls `body` with each matching transaction, without its changes, until it says that it has enough.
    func forEachMatch(
        _ filter: TransactionFilter, newestFirst: Bool, _ body: (LoggedTransaction, DefaultHistoryTransaction) throws -> Bool
    ) throws {
        try checkStart(of: filter)
        let positions = filter.positions(in: store.identifier)
        guard !positions.isEmpty else { return }
        let cursor = try log.transactions(after: positions.lower, through: positions.upper, newestFirst: newestFirst)
        while let logged = try cursor.next() {
            var transaction = transaction(logged)
            guard try filter.matches(&transaction, complete: { $0.changes = try changes(in: logged) }) else { continue }
            guard try body(logged, transaction) else { return }
        }
    }

    private func checkStart(of filter: TransactionFilter) throws {
        if let start = filter.startingPosition(in: store.identifier) { try check(start) }
    }

    /// - Throws: `SwiftDataError.historyTokenExpired` where what came after the position is no longer known.
    func check(_ start: Int64) throws {
        let extent = try log.extent()
        if let oldest = extent?.lowerBound, start < oldest - 1 {
            throw SwiftDataError.historyWasDeleted(beyond: start, store.configuration)
        }
        if try start > extent?.upperBound ?? 0 || log.wasReplaced(after: start) {
            throw SwiftDataError.historyIsOlder(than: start, store.configuration)
        }
    }

    private func transaction(_ logged: LoggedTransaction) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: logged.last, timestamp: Date(timeIntervalSince1970: Double(logged.milliseconds) / 1_000),
            token: DefaultHistoryToken(store: store.identifier, position: logged.last), storeIdentifier: store.identifier,
            author: logged.author, changes: [], bundleIdentifier: "", processIdentifier: "")
    }

    // MARK: Changes

    /// What a transaction did to rows of the container's classes.
    func changes(in transaction: LoggedTransaction) throws -> [HistoryChange] {
        try log.changes(in: transaction).compactMap { change in
            guard let binding = schema.binding(named: change.entity), binding.store === store else { return nil }
            return try self.change(change, of: binding.type, binding, transaction.last)
        }
    }

    /// Whether a transaction touched rows of the given classes or of their subclasses.
    func touches(_ types: [ObjectIdentifier], in transaction: LoggedTransaction) throws -> Bool {
        try log.changes(in: transaction).contains { change in
            guard let binding = schema.binding(named: change.entity), binding.store === store else { return false }
            return sequence(first: binding.shape, next: \.superclass).contains { types.contains(ObjectIdentifier($0.type)) }
        }
    }

    private func change<Model: PersistentModel>(
        _ change: RowChange, of type: Model.Type, _ binding: EntityBinding, _ transaction: Int64
    ) throws -> HistoryChange {
        let identifier = binding.identifier(of: change.row.key)
        switch change.kind {
        case .insert:
            return .insert(
                DefaultHistoryInsert<Model>(
                    changeIdentifier: change.sequence, transactionIdentifier: transaction, changedPersistentIdentifier: identifier))
        case .update:
            return .update(
                DefaultHistoryUpdate<Model>(
                    changeIdentifier: change.sequence, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                    updatedAttributes: keyPaths(change, binding)))
        case .delete:
            return .delete(
                DefaultHistoryDelete<Model>(
                    changeIdentifier: change.sequence, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                    tombstone: HistoryTombstone(byIndex: try preservedValues(of: type, change, binding))))
        }
    }

    private func keyPaths<Model: PersistentModel>(_ change: RowChange, _ binding: EntityBinding) -> [any PartialKeyPath<Model> & Sendable] {
        let columns = Set(change.columns)
        return binding.shape.properties.filter { property in
            binding.columns[property.index].map(columns.contains) ?? change.relationships.contains(property.name)
        }.map { $0.keyPath(in: Model.self) }
    }

    // MARK: Tombstones

    private func preservedValues<Model: PersistentModel>(
        of type: Model.Type, _ change: RowChange, _ binding: EntityBinding
    ) throws -> [Int: any Sendable] {
        let preserved = binding.shape.properties.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) ?? false }
        let held = preserved.compactMap { property in binding.columns[property.index].map { (property.index, $0) } }
        guard !held.isEmpty else { return [:] }
        var columns = [Int32](repeating: -1, count: binding.columns.count)
        for (place, (index, _)) in held.enumerated() { columns[index] = Int32(place) }
        var values: [Int: any Sendable] = [:]
        try log.readDeletedRow(table: change.row.table, columns: held.map(\.1), at: change.sequence) { statement in
            // A model in no context takes the values as any row's; then they are looked at.
            let model = Model(_$state: _ModelState())
            columns.withUnsafeBufferPointer { places in
                guard let base = places.baseAddress else { return }
                model._$decode(_RowReader(statement, columns: base, state: _ModelState(), binding: binding))
            }
            for (index, _) in held { values[index] = value(of: model, at: index) }
        }
        return values
    }

    private func value(of model: any PersistentModel, at index: Int) -> (any Sendable)? {
        var reading = PreservedValue(index)
        model._$visit(&reading)
        return reading.value
    }
}

/// Reads one slot of a model that nobody else has.
private struct PreservedValue: _PropertyVisitor {
    let index: Int
    private(set) var value: (any Sendable)?

    init(_ index: Int) { self.index = index }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) {}

    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {
        guard index == self.index, let value = slot, let known = Self.unwrapped(value) else { return }
        // The value was decoded just now and has no other owner, so it may cross even where its type is a class. `Sendable` has no witness
        // table, so that both existentials are laid out alike.
        self.value = unsafeBitCast(known as Any, to: (any Sendable).self)
    }

    /// The value inside optionals; nil where there is none.
    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }
}
