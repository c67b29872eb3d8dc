package import Foundation
package import SluiceRecords

/// One `records/modify`, checked and ready for storage.
package struct ModifyCommand: Sendable {
    package var database: DatabaseID
    package var zone: ZoneID
    /// All or nothing.
    package var isAtomic: Bool
    package var elements: [PreparedElement]
    /// The ledger key; nil: the outcome is not kept.
    package var operation: OperationID?
    /// Who writes, for the record's `created` and `modified`.
    package var deviceID: String
    /// Bytes that the database may hold.
    package var quota: Int64
    /// Whether the deletion of a record that is not there leaves a tombstone: a device that knows of a deletion tells a service that lost its
    /// memory, which has to tell the others.
    package var buriesUnknown: Bool

    package init(
        database: DatabaseID, zone: ZoneID, isAtomic: Bool, elements: [PreparedElement], operation: OperationID? = nil, deviceID: String = "",
        quota: Int64 = .max, buriesUnknown: Bool = false
    ) {
        self.database = database
        self.zone = zone
        self.isAtomic = isAtomic
        self.elements = elements
        self.operation = operation
        self.deviceID = deviceID
        self.quota = quota
        self.buriesUnknown = buriesUnknown
    }
}

/// The name of a request in the ledger, and what it was.
package struct OperationID: Hashable, Sendable {
    package var holder: String
    package var id: String
    /// SHA-256 of the request's body.
    package var digest: Data

    package init(holder: String, id: String, digest: Data) {
        self.holder = holder
        self.id = id
        self.digest = digest
    }
}

/// An operation whose fields are encoded already, so that the one writer does not have to; or an element that was refused at the door.
package enum PreparedElement: Sendable {
    case operation(PreparedOperation)
    case refused(recordName: String, ServerError)
}

package struct PreparedOperation: Sendable {
    package var operation: RecordOperation
    /// The fields as they are kept where nothing is merged: canonical, without nulls.
    package var fieldsJSON: Data
    /// Whether some field holds a file: then the storage looks it up, and encodes the fields anew. Receipts are names of uploads here.
    package var hasAssets: Bool

    package init(_ operation: RecordOperation) throws(WireError) {
        self.operation = operation
        hasAssets = AssetFields.hold(operation.record.fields)
        fieldsJSON = try operation.record.fields.canonicalJSON(omittingNulls: true)
    }
}

/// What became of a `records/modify`.
package enum ModifyOutcome: Sendable {
    /// One result per element, in order.
    case done([RecordResult])
    /// Nothing was done now: this is the body that answered, or would have answered, the first request of this operation id.
    case replay(body: Data)
}
