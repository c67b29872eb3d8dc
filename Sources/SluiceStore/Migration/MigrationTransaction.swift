import Foundation
import SluiceFailpoints
import SluiceSQLite
package import SluiceSchema

/// The transaction of a migration: steps of structure, and between them the rows through a store of the schema of the moment. Valid inside
/// `StoreMigration.run` only, on its executor.
package final class MigrationTransaction {
    /// What the file holds now.
    package private(set) var schema: Schema
    private let connection: Connection
    private let path: String
    private let options: Store.Options
    private let capturesChanges: Bool
    private var current: Store?
    private var stepCount = 0
    private(set) var space = MigrationSpace()
    /// What a step failed with: its first half is in the transaction, which must not be committed though the error be caught.
    private var failure: (any Error)?
    /// What the code of the last custom stage has to fill.
    private var required: [SchemaChange.Required] = []

    init(_ connection: Connection, path: String, options: Store.Options, schema: Schema, capturesChanges: Bool) {
        self.connection = connection
        self.path = path
        self.options = options
        self.schema = schema
        self.capturesChanges = capturesChanges
    }

    /// Has an eye on the time while statements run: calls `tick` about that often, and stops them with `.interrupted` where `isCancelled`
    /// says so.
    func watch(every interval: Duration, isCancelled: @escaping () -> Bool, _ tick: @escaping () -> Void) {
        var last = ContinuousClock.now
        connection.setInterruption {
            guard last.duration(to: .now) >= interval else { return false }
            last = .now
            tick()
            return isCancelled()
        }
    }

    /// A store over the same connection, inside the transaction, for the rows of `schema`. Whatever it writes is logged with origin
    /// `migration`. It is no longer to be used after the next `advance`. Where one of its writes throws, the whole migration is rolled
    /// back, though the error be caught.
    package func store() throws -> Store {
        if let current { return current }
        let store = try Store(connection, path: path, schema: schema, options: options, fixedOrigin: .migration)
        current = store
        return store
    }

    /// Takes one structural step. Rows, keys, record names, the change log and everything that waits to be sent stay; the log gets no
    /// entry.
    /// - Throws: `MigrationRefusal` where the rows do not allow the step; then the whole migration is rolled back, though the error be
    /// caught.
    package func advance(by change: SchemaChange) throws {
        try endStore()
        guard change.from.entities == schema.entities else {
            throw StoreError.schemaMismatch(path: path, difference: SchemaDifference(from: schema, to: change.from).description)
        }
        space.note(change)
        do {
            try connection.setForeignKeys(enabled: false)
            try StructureStep(connection: connection, change: change, capturesChanges: capturesChanges).run()
            try connection.setForeignKeys(enabled: true)
        } catch {
            failure = error
            throw error
        }
        schema = change.to
        required = change.required
        stepCount += 1
        Failpoint.pass(.migrationStepped)
    }

    /// After the code of a custom stage has run: whether everything that the stage had to fill is filled.
    /// - Throws: `MigrationRefusal`, naming properties and how many rows lack a value.
    package func checkRequiredValues() throws {
        let layout = StoredSchema(schema)
        var faults: [MigrationFault] = []
        for place in required {
            guard let fault = try RequiredValues(connection: connection, layout: layout).fault(of: place) else { continue }
            faults.append(fault)
        }
        required = []
        guard faults.isEmpty else { throw MigrationRefusal(from: schema.version, to: schema.version, faults: faults) }
    }

    /// Before the commit.
    func finish() throws {
        try endStore()
        guard capturesChanges, stepCount > 0 else { return }
        let milliseconds = Int64((options.now().timeIntervalSince1970 * 1_000).rounded())
        try connection.run(
            """
            INSERT INTO _sluice_transaction(at, origin)
                VALUES (max(?1, coalesce((SELECT at FROM _sluice_transaction ORDER BY txn DESC LIMIT 1), 0)), ?2)
            """, [.integer(milliseconds), .integer(ChangeOrigin.migration.rawValue)])
    }

    private func endStore() throws {
        if let error = failure ?? current?.failedWrite { throw error }
        current?.isRetired = true
        current = nil
    }
}
