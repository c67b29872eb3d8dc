/// The body of `records/modify`.
package struct ModifyRequest: Hashable, Sendable {
    /// One operation, or why it could not be read. A fault of one record is not a fault of its neighbours.
    package enum Element: Hashable, Sendable {
        case operation(RecordOperation)
        case refused(recordName: String, ServerError)
    }

    package var elements: [Element]
    package var zoneID: ZoneID?
    /// Nil: all or nothing where the zone can do that.
    package var isAtomic: Bool?
    /// The fields that come back; nil: all.
    package var desiredKeys: [String]?
    package var numbersAsStrings: Bool

    package init(
        operations: [RecordOperation], zoneID: ZoneID?, isAtomic: Bool? = nil, desiredKeys: [String]? = nil, numbersAsStrings: Bool = false
    ) {
        self.elements = operations.map(Element.operation)
        self.zoneID = zoneID
        self.isAtomic = isAtomic
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
    }

    /// The operations that could be read.
    package var operations: [RecordOperation] {
        elements.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }
}

extension ModifyRequest: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.key("operations")
        writer.beginArray()
        for case .operation(let operation) in elements { try operation.write(to: &writer) }
        writer.endArray()
        try writer.member("zoneID", zoneID)
        writer.member("atomic", isAtomic)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        elements = try object.requiredList("operations") { json throws(WireError) in
            let operation = try json.asObject()
            do throws(WireError) { return .operation(try RecordOperation(json: json)) } catch {
                return .refused(recordName: Self.recordName(in: operation), ServerError(.badRequest, error.description))
            }
        }
        zoneID = try object.zoneID()
        isAtomic = try object.boolean("atomic")
        desiredKeys = try object.strings("desiredKeys")
        numbersAsStrings = try object.boolean("numbersAsStrings") ?? false
    }

    /// The name to report a fault under, as far as it can be read.
    private static func recordName(in operation: JSONObject) -> String {
        guard case .object(let record)? = operation["record"], case .string(let recordName)? = record["recordName"] else { return "" }
        return recordName
    }
}
