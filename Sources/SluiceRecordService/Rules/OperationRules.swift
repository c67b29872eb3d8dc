// What each operation type does to what is there. The table of Docs/Protocol.md, as a function without state, so that every storage
// decides alike.

package import Foundation
package import SluiceRecords

/// A record as storage holds it, seen by the rules.
package struct ExistingRecord: Sendable {
    package var recordType: String
    package var changeTag: ChangeTag
    package var isDeleted: Bool
    package var fieldsJSON: Data
    /// What the record counts against the quota.
    package var bytes: Int64
    package var created: RecordStamp

    package init(
        recordType: String, changeTag: ChangeTag, isDeleted: Bool, fieldsJSON: Data, bytes: Int64, created: RecordStamp
    ) {
        self.recordType = recordType
        self.changeTag = changeTag
        self.isDeleted = isDeleted
        self.fieldsJSON = fieldsJSON
        self.bytes = bytes
        self.created = created
    }
}

/// What an operation comes to.
package enum OperationEffect: Sendable {
    /// - Parameter isNew: the record gets a new creation stamp.
    case write(recordType: String, fieldsJSON: Data, isNew: Bool)
    /// Leaves a tombstone.
    case delete
    /// Nothing was there and nothing has to be.
    case alreadyDeleted
    case refuse(ServerError)
}

package enum OperationRules {
    /// - Parameter find: an upload to the record's database; asked where the operation writes files.
    package static func effect(
        of prepared: PreparedOperation, on existing: ExistingRecord?, find: (AssetID) throws -> StoredAsset?
    ) throws -> OperationEffect {
        let kind = prepared.operation.kind
        let live = existing.flatMap { $0.isDeleted ? nil : $0 }
        if kind.needsChangeTag, let refusal = refusal(of: prepared.operation, live, wasDeleted: existing?.isDeleted == true) {
            return .refuse(refusal)
        }
        switch kind {
        case .delete: return .delete
        case .forceDelete: return live == nil ? .alreadyDeleted : .delete
        case .create where live != nil: return .refuse(ServerError(.exists, "record to insert already exists"))
        case .create, .update, .forceUpdate, .replace, .forceReplace: return try write(prepared, over: live, find: find)
        }
    }

    /// Why the change tag does not allow the operation; nil where it does.
    private static func refusal(of operation: RecordOperation, _ live: ExistingRecord?, wasDeleted: Bool) -> ServerError? {
        guard let text = operation.record.changeTag else {
            return ServerError(.badRequest, "missing required field 'recordChangeTag'")
        }
        guard let live else {
            return ServerError(
                .notFound, wasDeleted ? "Oplock error updating deleted record" : "recordChangeTag specified, but record not found")
        }
        // A tag of another timeline has another nonce, a tag of another service no meaning: both differ.
        return ChangeTag(text: text) == live.changeTag ? nil : ServerError(.conflict, "client oplock error updating record")
    }

    private static func write(
        _ prepared: PreparedOperation, over live: ExistingRecord?, find: (AssetID) throws -> StoredAsset?
    ) throws -> OperationEffect {
        let record = prepared.operation.record
        guard let recordType = live?.recordType ?? record.recordType, !recordType.isEmpty else {
            return .refuse(ServerError(.badRequest, "missing required field 'recordType'"))
        }
        if let given = record.recordType, given != recordType {
            return .refuse(ServerError(.badRequest, "invalid attempt to change the type of a record"))
        }
        let merges = prepared.operation.kind == .update || prepared.operation.kind == .forceUpdate
        do {
            let prepared = prepared.hasAssets ? try resolvingAssets(of: prepared, over: live, find: find) : prepared
            let fields = prepared.operation.record.fields
            let fieldsJSON = try merges ? merged(fields, into: live, or: prepared.fieldsJSON) : prepared.fieldsJSON
            guard fieldsJSON.count <= ServiceLimits.recordBytes else {
                return .refuse(ServerError(.limitExceeded, "the record is larger than \(ServiceLimits.recordBytes) bytes"))
            }
            return .write(recordType: recordType, fieldsJSON: fieldsJSON, isNew: live == nil)
        } catch let error as ServerError {
            return .refuse(error)
        } catch let error as WireError {
            return .refuse(ServerError(.badRequest, error.description))
        }
    }

    private static func resolvingAssets(
        of prepared: PreparedOperation, over live: ExistingRecord?, find: (AssetID) throws -> StoredAsset?
    ) throws -> PreparedOperation {
        let there = try live.map { try [String: Field].decode(try JSONValue(parsing: $0.fieldsJSON)) }
        var operation = prepared.operation
        operation.record.fields = try AssetFields.resolved(operation.record.fields, over: there, find: find)
        return try PreparedOperation(operation)
    }

    /// The given fields over those that are there; a null takes its field away.
    private static func merged(_ fields: [String: Field], into live: ExistingRecord?, or alone: Data) throws(WireError) -> Data {
        guard let live else { return alone }
        var result = try [String: Field].decode(try JSONValue(parsing: live.fieldsJSON))
        for (name, field) in fields { result[name] = field.value == nil ? nil : field }
        return try result.canonicalJSON()
    }
}
