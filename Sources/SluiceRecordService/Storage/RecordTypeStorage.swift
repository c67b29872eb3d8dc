package import SluiceRecords

/// What records of a container look like: learnt from what was written in development, fixed in production by its operator.
package protocol RecordTypeStorage: Sendable {
    /// In a fixed order; empty where nothing was learnt or deployed.
    func recordFields(of container: String, _ environment: ServiceEnvironment) async throws(StorageError) -> [RecordField]
    /// Adds those that are not there; nothing ever goes.
    func addRecordFields(_ fields: [RecordField], to container: String, _ environment: ServiceEnvironment) async throws(StorageError)
}

/// A record type, a field of one, and a type of value that the field may have. A field that had values of several types is there once for each.
package struct RecordField: Hashable, Sendable, Comparable {
    package var recordType: String
    /// Empty: the record type itself.
    package var name: String
    /// As on the wire; empty where `name` is.
    package var valueType: String

    package init(_ recordType: String, _ name: String = "", _ valueType: String = "") {
        self.recordType = recordType
        self.name = name
        self.valueType = valueType
    }

    package static func < (left: RecordField, right: RecordField) -> Bool {
        (left.recordType, left.name, left.valueType) < (right.recordType, right.name, right.valueType)
    }
}
