// What `records/query` asks: records of one type for which all filters hold, in an order. There is no "or".

/// The `query` of a request.
package struct RecordQuery: Hashable, Sendable {
    package var recordType: String
    package var filters: [QueryFilter]
    /// The first decides; equal ones are told apart by the next. Records that all of them leave equal come in the order of their names.
    package var sorts: [QuerySort]

    package init(_ recordType: String, filters: [QueryFilter] = [], sorts: [QuerySort] = []) {
        self.recordType = recordType
        self.filters = filters
        self.sorts = sorts
    }
}

/// One condition.
package struct QueryFilter: Hashable, Sendable {
    package var comparator: QueryComparator
    package var key: QueryKey
    package var value: FieldValue
    /// Metres, for `near`.
    package var distance: Double?

    package init(_ key: QueryKey, _ comparator: QueryComparator, _ value: FieldValue, distance: Double? = nil) {
        self.comparator = comparator
        self.key = key
        self.value = value
        self.distance = distance
    }
}

/// One key of the order.
package struct QuerySort: Hashable, Sendable {
    package var key: QueryKey
    package var isAscending: Bool
    /// Sorts places by their distance from here.
    package var relativeLocation: Location?

    package init(_ key: QueryKey, ascending isAscending: Bool = true, relativeLocation: Location? = nil) {
        self.key = key
        self.isAscending = isAscending
        self.relativeLocation = relativeLocation
    }
}

extension RecordQuery: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("recordType", recordType)
        try writer.member("filterBy", filters.isEmpty ? nil : filters)
        try writer.member("sortBy", sorts.isEmpty ? nil : sorts)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            try object.requiredString("recordType"),
            filters: try object.list("filterBy") { json throws(WireError) in try QueryFilter(json: json) } ?? [],
            sorts: try object.list("sortBy") { json throws(WireError) in try QuerySort(json: json) } ?? [])
    }
}

extension QueryFilter: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("comparator", comparator.rawValue)
        key.write(to: &writer)
        try writer.member("fieldValue", Field(value))
        try writer.member("distance", distance)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        guard let comparator = QueryComparator(rawValue: try object.requiredString("comparator")) else {
            let known = QueryComparator.allCases.map(\.rawValue).joined(separator: ", ")
            throw WireError(.unexpected, "one of \(known) was expected", path: "comparator")
        }
        let field = try object.requiredObject("fieldValue")
        self.init(
            try QueryKey(object), comparator, try within("fieldValue") { () throws(WireError) in try Self.value(field) },
            distance: try object.double("distance"))
    }

    /// A reference in a filter needs no action: only where it points counts.
    private static func value(_ field: JSONObject) throws(WireError) -> FieldValue {
        guard let json = field["value"] else { throw WireError(.missing, "missing required key 'value'") }
        let type = try field.string("type")
        if type == "REFERENCE" || type == nil && isReference(json) {
            return .reference(try within("value") { () throws(WireError) in try reference(json) })
        }
        if case .array(let elements) = json, type == "REFERENCE_LIST" || type == nil && elements.first.map(isReference) == true {
            var list: [Reference] = []
            for (index, element) in elements.enumerated() {
                list.append(try within("value[\(index)]") { () throws(WireError) in try reference(element) })
            }
            return .referenceList(list)
        }
        return try within("value") { () throws(WireError) in
            if let type { try FieldValue(json: json, type: type) } else { try FieldValue(inferring: json) }
        }
    }

    private static func isReference(_ json: JSONValue) -> Bool {
        if case .object(let object) = json { object["recordName"] != nil } else { false }
    }

    private static func reference(_ json: JSONValue) throws(WireError) -> Reference {
        let object = try json.asObject()
        return Reference(recordName: try object.requiredString("recordName"), zoneID: try object.zoneID())
    }
}

extension QuerySort: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        key.write(to: &writer)
        writer.member("ascending", isAscending)
        try writer.member("relativeLocation", relativeLocation)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            try QueryKey(object), ascending: try object.boolean("ascending") ?? true,
            relativeLocation: try object["relativeLocation"].map { json throws(WireError) in
                try within("relativeLocation") { () throws(WireError) in try Location(json: json) }
            })
    }
}
