// What the control socket asks of an account. Everything that `put` and `delete` answer is on disk before they answer (I-1).

import Foundation
package import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

extension AccountRuntime {
    func openSession() throws -> AccountSession {
        openStore()
        guard let session, !isStopping else {
            throw ControlFailure(code: "unavailable", message: status.reason ?? "account \(name) is stopping: try again when it runs")
        }
        return session
    }

    /// A disk that takes no more, or a damaged file, is told to the caller and shown in the status.
    func writing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            switch error {
            case let error as SQLiteError:
                switch error.code {
                case .full, .ioError, .corrupt, .notADatabase: handle(SyncExchange.event(forStoreFailure: error))
                default: break
                }
            case let error as ExternalWriteFailure: handle(SyncExchange.event(forStoreFailure: error))
            default: break
            }
            throw error
        }
    }

    package func put(_ request: PutRequest, author: String? = nil) throws -> PutResponse {
        let store = try openSession().store
        let entity = try store.concreteEntity(request.entity)
        let edit = try Self.edit(request, of: entity, in: store.layout)
        let (name, outcome) = try writing {
            try store.write(.local, author: author) { try store.put(request.entity, name: request.name.map { RecordName($0) }, edit) }
        }
        projectChanges()
        changedLocally()
        return PutResponse(name: name.text, outcome: "\(outcome)")
    }

    /// A property's kind decides how its value is read: an attribute's by its type, a to-one as a record name, a to-many as record names with
    /// commas between them.
    private static func edit(_ request: PutRequest, of entity: StoredEntity, in layout: StoredSchema) throws -> RowEdit {
        var edit = RowEdit()
        let columns = layout.table(of: entity).columns
        for (name, form) in request.properties {
            if let attribute = entity.columns.lazy.compactMap({ columns[$0].attribute }).first(where: { $0.name == name }) {
                guard let value = form.property(as: attribute.type) else { throw StoreError.wrongType(property: name, entity: entity.name) }
                edit.attributes[name] = value
                continue
            }
            guard let link = entity.link(named: name) else { throw StoreError.unknownProperty(name, entity: entity.name) }
            switch (form, link.relationship.isToMany) {
            case (.null, false): edit.references[name] = .some(nil)
            case (.null, true), (.string(""), true): edit.collections[name] = []
            case (.string(let target), false): edit.references[name] = RecordName(target)
            case (.string(let targets), true):
                edit.collections[name] = targets.split(separator: ",").map { RecordName($0.trimmingCharacters(in: .whitespaces)) }
            default: throw StoreError.wrongType(property: name, entity: entity.name)
            }
        }
        return edit
    }

    package func delete(_ name: RecordName, author: String? = nil) throws -> Int {
        let store = try openSession().store
        let count = try writing { try store.write(.local, author: author) { try store.delete(name) } }
        projectChanges()
        changedLocally()
        return count
    }

    package func row(named name: RecordName) throws -> RowMessage {
        guard let row = try openSession().store.storedRow(named: name) else { throw StoreError.noSuchRecord(name) }
        return RowMessage(row)
    }

    /// Rows in one answer.
    private static let queryRowMax = 10_000

    package func query(_ request: QueryRequest) throws -> QueryResponse {
        let store = try openSession().store
        let limit = min(request.limit ?? Self.queryRowMax, Self.queryRowMax)
        let query = try RowQuery(
            request.entity, in: store.layout, external: store.externalValues, where: request.filter.map { try RowFilter(parsing: $0) },
            order: request.order.map { try RowOrder(parsing: $0) } ?? RowOrder(), limit: limit)
        return try store.read {
            let count = Int(try store.connection.integer(query.count.sql, query.count.values))
            guard !request.countOnly else { return QueryResponse(count: count, rows: [], isTruncated: false) }
            let rows = try store.connection.rows(query.rows.sql, query.rows.values) { try query.row($0).map(RowMessage.init) }.compactMap { $0 }
            return QueryResponse(count: count, rows: rows, isTruncated: rows.count < count && rows.count == Self.queryRowMax)
        }
    }

    package func sync(_ request: SyncRequest) async throws -> AccountStatus {
        // Whoever asks has mended what kept the store from being migrated.
        migrationFailure = nil
        _ = try openSession()
        handle(.retryNow)
        if request.waits {
            // Values are synced along; what keeps them from it stands in their own part of the status.
            async let values = keyValues?.sync(SyncRequest(waits: true))
            _ = await waitUntilQuiet()
            _ = try? await values
            return await waitUntilQuiet()
        }
        publish()
        return status
    }

    /// Stops or resumes sync; kept over restarts. Rows can be read and changed all the while.
    package func setPaused(_ isPaused: Bool) async throws -> AccountStatus {
        try openSession().store.setSyncValue(.integer(isPaused ? 1 : 0), for: .paused)
        handle(isPaused ? .pause : .resume)
        // Values that cannot be paused are not there: their own status says why.
        _ = try? await keyValues?.setPaused(isPaused)
        return status
    }

    private static let historyMax = 1_000

    package func history(after position: Int64, limit: Int) throws -> HistoryResponse {
        let store = try openSession().store
        let changes = try store.changes(after: position, limit: min(limit, Self.historyMax)).map { change in
            HistoryResponse.Change(
                position: change.sequence, kind: "\(change.kind)", origin: "\(change.origin)", entity: store.layout.tables[change.row.table].name,
                name: try change.name?.text ?? store.name(of: change.row)?.text, transaction: change.transaction)
        }
        return HistoryResponse(changes: changes, position: changes.last?.position ?? position)
    }

    /// The status with what takes time to count.
    package func detailedStatus(counts: Bool, digest: Bool) throws -> AccountStatus {
        openStore()
        publish()
        var status = self.status
        guard let session else { return status }
        if counts { status.entities = try session.entityCounts() }
        if digest { status.digest = try session.journal.digest().text }
        return status
    }
}
