import Foundation
package import SluiceRecords
import SluiceSQLite

extension WriteTransaction {
    /// A batch that is all or nothing had a failure; carries what each element came to.
    private struct AtomicFailure: Error { let results: [RecordResult] }

    /// The whole of `records/modify`, inside its request's savepoint: ledger, operations in order, ledger.
    func modify(_ command: ModifyCommand) throws -> ModifyOutcome {
        if connection.readsAhead { try connection.readAhead(Self.opening(of: command)) }
        if let operation = command.operation, let body = try keptOutcome(of: operation, in: command.database) { return .replay(body: body) }
        guard let zone = try ZoneRow.live(command.zone, in: command.database, on: connection) else {
            throw StorageError.zoneNotFound(command.zone)
        }
        do {
            let results = try command.isAtomic ? savepoint { try applyWhole(command, in: zone) } : apply(command, in: zone)
            if let operation = command.operation { try keep(results, of: operation, in: command.database) }
            return .done(results)
        } catch let failure as AtomicFailure {
            // Nothing had an effect, so nothing is kept: a retry is decided anew.
            return .done(failure.results.map(Self.asMemberOfFailedBatch))
        }
    }

    private func applyWhole(_ command: ModifyCommand, in zone: ZoneRow) throws -> [RecordResult] {
        let results = try apply(command, in: zone)
        if results.contains(where: { $0.error != nil }) { throw AtomicFailure(results: results) }
        return results
    }

    private static func asMemberOfFailedBatch(_ result: RecordResult) -> RecordResult {
        result.error != nil
            ? result : .failure(recordName: result.recordName, ServerError(.atomicError, "another record of this atomic batch failed"))
    }

    private func apply(_ command: ModifyCommand, in zone: ZoneRow) throws -> [RecordResult] {
        var seen: Set<String> = []
        var bytes = try self.bytes(of: command.database.rawValue)
        if connection.readsAhead { try connection.readAhead(existing(command, in: zone)) }
        return try command.elements.map { element in
            switch element {
            case .refused(let recordName, let error): return .failure(recordName: recordName, error)
            case .operation(let prepared):
                let recordName = prepared.operation.record.recordName
                guard seen.insert(recordName).inserted else {
                    return .failure(recordName: recordName, ServerError(.badRequest, "only one operation per record in a request"))
                }
                return try apply(prepared, command, in: zone, bytes: &bytes)
            }
        }
    }

    /// - Parameter bytes: what the database holds, carried along the batch.
    private func apply(
        _ prepared: PreparedOperation, _ command: ModifyCommand, in zone: ZoneRow, bytes: inout Int64
    ) throws -> RecordResult {
        let record = prepared.operation.record
        let name = record.recordName
        let row = try RecordRow.load(name, in: zone.key, on: connection)
        let effect = try OperationRules.effect(of: prepared, on: row?.existing) {
            try AssetReading(connection: connection).asset($0, in: zone.key.database)
        }
        switch effect {
        case .refuse(let error): return .failure(recordName: name, error)
        case .alreadyDeleted:
            guard row == nil, command.buriesUnknown else { return .record(Record(name, isDeleted: true, zoneID: zone.zoneID)) }
            return .record(try buryUnknown(name, in: zone, device: command.deviceID))
        case .delete:
            guard let row else { return .record(Record(name, isDeleted: true, zoneID: zone.zoneID)) }
            bytes -= row.existing.bytes
            return try deleteCascading(name, row, in: zone, device: command.deviceID)
        case .write(let type, let fieldsJSON, let isNew):
            let growth = Self.bytes(name, fieldsJSON) - (row?.existing.bytes ?? 0)
            guard growth <= 0 || bytes + growth <= command.quota else {
                return .failure(recordName: name, ServerError(.quotaExceeded, "the account's storage is full"))
            }
            if let error = try updateReferences(of: name, from: row?.existing.fieldsJSON, to: fieldsJSON, in: zone) {
                return .failure(recordName: name, error)
            }
            bytes += growth
            return .stored(
                try writeRecord(record, type: type, fieldsJSON: fieldsJSON, isNew: isNew, over: row, in: zone, device: command.deviceID))
        }
    }

    // MARK: What is asked at once, where asking takes time

    private static func opening(of command: ModifyCommand) -> [TableQuery] {
        var queries = [ZoneRow.query(command.zone.zoneName, in: command.database), bytesQuery(command.database.rawValue)]
        if let operation = command.operation { queries.append(ledgerQuery(operation, in: command.database)) }
        return queries
    }

    private func existing(_ command: ModifyCommand, in zone: ZoneRow) -> [TableQuery] {
        let names = command.elements.compactMap { element -> String? in
            if case .operation(let prepared) = element { prepared.operation.record.recordName } else { nil }
        }
        return Set(names).map { RecordRow.query($0, in: zone.key, on: connection) }
    }

    private static func ledgerQuery(_ operation: OperationID, in database: DatabaseID) -> TableQuery {
        TableQuery(
            "SELECT digest, outcome FROM ledger WHERE database = ? AND holder = ? AND operation = ?",
            [.integer(database.rawValue), .text(operation.holder), .text(operation.id)])
    }

    // MARK: The ledger

    /// The body kept for this operation id; throws where it was kept for another request.
    private func keptOutcome(of operation: OperationID, in database: DatabaseID) throws -> Data? {
        let kept = try connection.firstRow(Self.ledgerQuery(operation, in: database)) { (digest: $0.data(0), outcome: $0.data(1)) }
        guard let kept else { return nil }
        guard kept.digest == operation.digest else { throw StorageError.operationReused(operation.id) }
        return kept.outcome
    }

    private func keep(_ results: [RecordResult], of operation: OperationID, in database: DatabaseID) throws {
        let body = try RecordsResponse(records: results.map(\.thinned)).encoded(capacity: 128 * results.count)
        try connection.write(
            "INSERT INTO ledger(database, holder, operation, digest, outcome, created) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(database.rawValue), .text(operation.holder), .text(operation.id), .blob(operation.digest), .blob(body), .integer(now),
            ])
    }
}

extension RecordResult {
    /// The same result in the form that only says what its writer does not know yet.
    package var thinned: RecordResult {
        guard case .stored(let stored) = self, let changeTag = stored.head.changeTag, let modified = stored.head.modified else { return self }
        return .thin(recordName: stored.head.recordName, changeTag: changeTag, modified: modified.timestamp)
    }
}
