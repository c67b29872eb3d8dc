// What queries make sense, and which records they mean. Without state and without storage, so that every storage decides alike.
//
// There are no declared record types, so a filter on a field that some record keeps with another type is no error: it does not hold there.

package import Foundation
package import SluiceRecords

/// A query that makes sense.
package struct QueryRules: Sendable {
    package let query: RecordQuery
    /// Names of the fields that filters and sorts look at, each once.
    let fieldNames: [String]
    var order: QueryOrder { QueryOrder(isAscending: query.sorts.map(\.isAscending)) }

    /// - Throws: `BAD_REQUEST`, saying what does not fit.
    package init(_ query: RecordQuery) throws(ServerError) {
        self.query = query
        guard !query.recordType.isEmpty else { throw ServerError(.badRequest, "missing required field 'recordType'") }
        try Self.checkSize(query)
        for filter in query.filters { try Self.check(filter) }
        for sort in query.sorts where sort.key.isSystem && sort.relativeLocation != nil {
            throw ServerError(.badRequest, "'\(sort.key.name)' has no distance from a place")
        }
        let keys = query.filters.map(\.key) + query.sorts.map(\.key)
        fieldNames = Set(keys.compactMap { if case .field(let name) = $0 { name } else { nil } }).sorted()
    }

    /// Bounds the work that one record costs.
    private static func checkSize(_ query: RecordQuery) throws(ServerError) {
        guard query.filters.count <= ServiceLimits.queryFilters else {
            throw ServerError(.badRequest, "a query may have at most \(ServiceLimits.queryFilters) filters")
        }
        guard query.sorts.count <= ServiceLimits.querySorts else {
            throw ServerError(.badRequest, "a query may have at most \(ServiceLimits.querySorts) sort descriptors")
        }
        let values = query.filters.reduce(0) { $0 + (QueryOperand.list($1.value, in: "")?.count ?? 1) }
        guard values <= ServiceLimits.queryValues else {
            throw ServerError(.badRequest, "the filters of a query may name at most \(ServiceLimits.queryValues) values")
        }
    }

    // MARK: Which comparator goes with what

    private static func check(_ filter: QueryFilter) throws(ServerError) {
        let comparator = filter.comparator.denied ?? filter.comparator
        let type = filter.value.type
        if comparator == .in, !type.hasSuffix("_LIST") { throw ServerError(.badRequest, "BadRequestException: Unexpected input") }
        guard types(of: comparator).contains(type) else {
            throw ServerError(.badRequest, "the comparator \(filter.comparator.rawValue) does not apply to a value of type \(type)")
        }
        if comparator == .near {
            guard let distance = filter.distance, distance >= 0 else {
                throw ServerError(.badRequest, "NEAR needs a 'distance' in metres")
            }
        }
        if case .system(let field) = filter.key {
            guard comparators(of: field).contains(comparator) else {
                throw ServerError(.badRequest, "the comparator \(filter.comparator.rawValue) does not apply to '\(field.rawValue)'")
            }
            guard types(of: field).contains(type) else {
                throw ServerError(.badRequest, "'\(field.rawValue)' cannot be compared with a value of type \(type)")
            }
        }
    }

    private static let ordered = ["STRING", "INT64", "DOUBLE", "TIMESTAMP"]
    private static let scalars = ordered + ["BYTES", "REFERENCE"]
    private static let lists = scalars.map { $0 + "_LIST" } + ["UNKNOWN_LIST"]
    private static let names = ["STRING", "REFERENCE", "STRING_LIST", "REFERENCE_LIST", "UNKNOWN_LIST"]

    private static func types(of comparator: QueryComparator) -> [String] {
        switch comparator {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: ordered
        case .in, .listContainsAny, .containsAny, .listContainsAll: lists
        case .beginsWith, .listMemberBeginsWith: ["STRING"]
        case .containsAllTokens, .containsAnyTokens: ["STRING", "STRING_LIST"]
        case .near: ["LOCATION"]
        default: scalars
        }
    }

    private static func comparators(of field: SystemField) -> [QueryComparator] {
        let ordering: [QueryComparator] = [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals]
        switch field {
        case .recordName: return ordering + [.equals, .in, .beginsWith]
        case .createdTimestamp, .modifiedTimestamp: return ordering + [.equals, .in]
        case .share, .parent, .createdUserRecordName, .modifiedUserRecordName: return [.equals, .in]
        }
    }

    private static func types(of field: SystemField) -> [String] {
        switch field {
        case .createdTimestamp, .modifiedTimestamp: ["TIMESTAMP", "INT64", "TIMESTAMP_LIST", "INT64_LIST", "UNKNOWN_LIST"]
        default: names
        }
    }
}

/// What a query looks at of one record.
package struct QueryCandidate {
    package var head: Record
    /// Read only where a filter or a sort needs it.
    package var fieldsJSON: () -> Data

    package init(head: Record, fieldsJSON: @escaping () -> Data) {
        self.head = head
        self.fieldsJSON = fieldsJSON
    }
}

/// A query over the records of one zone.
package struct QueryMatcher: Sendable {
    private let rules: QueryRules
    private let zone: String
    private let systemTests: [QueryTest]
    private let fieldTests: [(position: Int, comparator: QueryComparator, test: QueryTest)]
    private let scanner: FieldScanner

    package init(_ rules: QueryRules, zone: String) {
        self.rules = rules
        self.zone = zone
        scanner = FieldScanner(rules.fieldNames)
        systemTests = rules.query.filters.filter(\.key.isSystem).map { QueryTest($0, in: zone) }
        fieldTests = rules.query.filters.compactMap { filter in
            guard case .field(let name) = filter.key, let position = rules.fieldNames.firstIndex(of: name) else { return nil }
            return (position, filter.comparator, QueryTest(filter, in: zone))
        }
    }

    /// Where a record stands; nil for one that is not meant.
    /// - Throws: `StorageError.queryRefused` for an encrypted field, which nobody may ask for; `WireError` where stored bytes are damaged.
    package func place(of candidate: QueryCandidate) throws -> QueryPlace? {
        for test in systemTests {
            guard case .system(let field) = test.key, test.holds(for: Self.value(of: field, candidate.head)) else { return nil }
        }
        let fields = rules.fieldNames.isEmpty ? [] : try scanner.fields(in: candidate.fieldsJSON())
        for (position, comparator, test) in fieldTests {
            if fields[position]?.isEncrypted == true {
                throw Self.refusal(of: rules.fieldNames[position], fields[position], "queried using filter type \(comparator.rawValue)")
            }
            guard test.holds(for: fields[position]?.value) else { return nil }
        }
        return QueryPlace(keys: try rules.query.sorts.map { try key(of: $0, candidate.head, fields) }, zone: zone, recordName: candidate.head.recordName)
    }

    private static func refusal(of name: String, _ field: Field?, _ what: String) -> StorageError {
        .queryRefused("Field '\(name)' has a value type of ENCRYPTED_\(field?.value?.type ?? "BYTES") and cannot be \(what)")
    }

    private static func value(of field: SystemField, _ head: Record) -> FieldValue? {
        switch field {
        case .recordName: .string(head.recordName)
        case .parent: head.parent.map(FieldValue.string)
        // Nothing is shared from here.
        case .share: nil
        case .createdUserRecordName: head.created?.userRecordName.map(FieldValue.string)
        case .createdTimestamp: (head.created?.timestamp).map(FieldValue.timestamp)
        case .modifiedTimestamp: (head.modified?.timestamp).map(FieldValue.timestamp)
        case .modifiedUserRecordName: head.modified?.userRecordName.map(FieldValue.string)
        }
    }

    private func key(of sort: QuerySort, _ head: Record, _ fields: [Field?]) throws -> QueryOperand? {
        let value: FieldValue?
        switch sort.key {
        case .system(let field): value = Self.value(of: field, head)
        case .field(let name):
            let field = rules.fieldNames.firstIndex(of: name).flatMap { fields[$0] }
            if field?.isEncrypted == true { throw Self.refusal(of: name, field, "sorted") }
            value = field?.value
        }
        guard let value else { return nil }
        if let here = sort.relativeLocation {
            guard case .location(let location) = value else { return nil }
            return QueryOperand(QueryOperand.distance(here, location))
        }
        switch QueryOperand(value, in: zone) {
        case .text(let text): return .text(Self.shortened(text))
        case .reference(let name, _): return .text(name)
        case .bytes, nil: return nil
        case let number: return number
        }
    }

    /// The beginning of a long text, cut between two characters: a marker has to carry it.
    private static func shortened(_ text: [UInt8]) -> [UInt8] {
        guard text.count > ServiceLimits.querySortBytes else { return text }
        var end = ServiceLimits.querySortBytes
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(text[..<end])
    }
}
