import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Which records a filter means, and which queries mean nothing.
@Suite struct QueryRulesTests {
    private let paris = Location(latitude: 48.8566, longitude: 2.3522)
    private let versailles = Location(latitude: 48.8049, longitude: 2.1204)

    /// Whether a record with this value in `f` is meant.
    private func isMeant(_ value: FieldValue?, _ comparator: QueryComparator, _ operand: FieldValue, distance: Double? = nil) throws -> Bool {
        let query = RecordQuery("T", filters: [QueryFilter(.field("f"), comparator, operand, distance: distance)])
        let matcher = QueryMatcher(try QueryRules(query), zone: "Notes")
        let fields = value.map { ["a": Field(.string("}\",{")), "f": Field($0), "g": Field(.int64(1))] } ?? ["a": Field(.int64(0))]
        let json = try fields.canonicalJSON()
        return try matcher.place(of: QueryCandidate(head: Record("r"), fieldsJSON: { json })) != nil
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let comparator: QueryComparator
        let operand: FieldValue
        let yes: [FieldValue]
        let no: [FieldValue?]
        var distance: Double?
        var testDescription: String { "\(comparator.rawValue) \(operand.type)" }
    }

    static let cases: [Case] = [
        Case(comparator: .equals, operand: .string("é"), yes: [.string("é")], no: [.string("e\u{301}"), .string("É"), .int64(1), .stringList(["é"]), nil]),
        Case(
            comparator: .equals, operand: .int64(9_007_199_254_740_993), yes: [.int64(9_007_199_254_740_993), .timestamp(9_007_199_254_740_993)],
            no: [.int64(9_007_199_254_740_992), .double(9_007_199_254_740_992), .string("9007199254740993")]),
        Case(comparator: .equals, operand: .double(2), yes: [.int64(2), .double(2)], no: [.double(2.5)]),
        Case(comparator: .equals, operand: .bytes(Data([0, 1])), yes: [.bytes(Data([0, 1]))], no: [.bytes(Data([0])), .string("AAE=")]),
        Case(
            comparator: .equals, operand: .reference(Reference(recordName: "a")),
            yes: [
                .reference(Reference(recordName: "a", action: .validate)), .reference(Reference(recordName: "a", zoneID: ZoneID("Notes"))),
            ], no: [.reference(Reference(recordName: "b")), .reference(Reference(recordName: "a", zoneID: ZoneID("Other"))), .string("a")]),
        Case(comparator: .lessThan, operand: .int64(3), yes: [.int64(2), .double(2.9), .double(-1e300)], no: [.int64(3), .double(3.1), .string("2")]),
        Case(comparator: .lessThanOrEquals, operand: .timestamp(3), yes: [.timestamp(3), .timestamp(-1)], no: [.timestamp(4)]),
        Case(comparator: .greaterThan, operand: .double(1e300), yes: [.double(1.1e300)], no: [.int64(.max), .double(1e300)]),
        Case(comparator: .greaterThan, operand: .double(-0.5), yes: [.int64(0), .double(-0.25)], no: [.int64(-1)]),
        Case(comparator: .greaterThanOrEquals, operand: .string("b"), yes: [.string("b"), .string("ba"), .string("é")], no: [.string("a"), .string("B"), .int64(9)]),
        Case(comparator: .in, operand: .stringList(["a", "b"]), yes: [.string("a")], no: [.string("c"), .stringList(["a"]), nil]),
        Case(comparator: .in, operand: .int64List([1, 2]), yes: [.int64(2), .double(1)], no: [.double(1.5)]),
        Case(comparator: .in, operand: .emptyList, yes: [], no: [.string(""), .int64(0)]),
        Case(comparator: .listContains, operand: .string("a"), yes: [.stringList(["b", "a"])], no: [.stringList([]), .emptyList, .string("a"), nil]),
        Case(comparator: .listContains, operand: .reference(Reference(recordName: "a")), yes: [.referenceList([Reference(recordName: "a")])], no: [.stringList(["a"])]),
        Case(comparator: .listContainsAny, operand: .int64List([1, 2]), yes: [.int64List([2, 3]), .doubleList([1])], no: [.int64List([3]), .int64List([])]),
        Case(comparator: .containsAny, operand: .stringList(["x"]), yes: [.stringList(["x"])], no: [.stringList(["y"])]),
        Case(comparator: .listContainsAll, operand: .stringList(["a", "b"]), yes: [.stringList(["b", "c", "a"])], no: [.stringList(["a"]), .string("a")]),
        Case(comparator: .beginsWith, operand: .string("ab"), yes: [.string("ab"), .string("abc")], no: [.string("a"), .string("Ab"), .stringList(["ab"])]),
        Case(comparator: .listMemberBeginsWith, operand: .string("ab"), yes: [.stringList(["x", "abc"])], no: [.stringList(["xab"]), .string("ab")]),
        Case(
            comparator: .containsAllTokens, operand: .string("Café, MILK"), yes: [.string("milk at the cafe"), .stringList(["milk", "Cafe"])],
            no: [.string("cafes milk"), .string("milk"), .int64(1)]),
        Case(comparator: .containsAnyTokens, operand: .string("milk bread"), yes: [.string("Bread!")], no: [.string("breads"), .string("")]),
        Case(comparator: .containsAllTokens, operand: .string(" ,; "), yes: [], no: [.string("anything")]),
        Case(
            comparator: .near, operand: .location(Location(latitude: 48.8566, longitude: 2.3522)),
            yes: [.location(Location(latitude: 48.8049, longitude: 2.1204))], no: [.location(Location(latitude: 45.764, longitude: 4.8357)), .string("Paris")],
            distance: 18_000),
    ]

    @Test(arguments: cases) func `a comparator holds for these values and not for those, and its denial the other way round`(test: Case) throws {
        for value in test.yes {
            #expect(try isMeant(value, test.comparator, test.operand, distance: test.distance), "\(value.type)")
        }
        for value in test.no {
            #expect(try isMeant(value, test.comparator, test.operand, distance: test.distance) == false, "\(value?.type ?? "absent")")
        }
        for denial in QueryComparator.allCases where denial.denied == test.comparator {
            for value in test.yes { #expect(try isMeant(value, denial, test.operand) == false) }
            for value in test.no { #expect(try isMeant(value, denial, test.operand)) }
        }
    }

    @Test func `every comparator of the dialect is in the table`() {
        let tried = Set(Self.cases.map(\.comparator))
        #expect(QueryComparator.allCases.allSatisfy { tried.contains($0.denied ?? $0) })
    }

    @Test(arguments: [
        (#"{"recordType":""}"#, "missing required field 'recordType'"),
        (#"{"recordType":"T","filterBy":[{"comparator":"IN","fieldName":"f","fieldValue":{"value":"a","type":"STRING"}}]}"#, "BadRequestException: Unexpected input"),
        (#"{"recordType":"T","filterBy":[{"comparator":"NOT_IN","fieldName":"f","fieldValue":{"value":3}}]}"#, "BadRequestException: Unexpected input"),
        (#"{"recordType":"T","filterBy":[{"comparator":"BEGINS_WITH","fieldName":"f","fieldValue":{"value":3}}]}"#, "does not apply to a value of type INT64"),
        (#"{"recordType":"T","filterBy":[{"comparator":"LESS_THAN","fieldName":"f","fieldValue":{"value":"AA==","type":"BYTES"}}]}"#, "does not apply to a value of type BYTES"),
        (#"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"f","fieldValue":{"value":{"receipt":"x"},"type":"ASSETID"}}]}"#, "does not apply to a value of type ASSETID"),
        (#"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"f","fieldValue":{"value":{"latitude":1,"longitude":2}}}]}"#, "does not apply to a value of type LOCATION"),
        (#"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"f","fieldValue":{"value":7,"type":"NEW"}}]}"#, "does not apply to a value of type NEW"),
        (#"{"recordType":"T","filterBy":[{"comparator":"NEAR","fieldName":"f","fieldValue":{"value":{"latitude":1,"longitude":2}}}]}"#, "NEAR needs a 'distance' in metres"),
        (#"{"recordType":"T","filterBy":[{"comparator":"NEAR","fieldName":"f","distance":-1,"fieldValue":{"value":{"latitude":1,"longitude":2}}}]}"#, "NEAR needs a 'distance' in metres"),
        (#"{"recordType":"T","filterBy":[{"comparator":"LIST_CONTAINS_ANY","fieldName":"f","fieldValue":{"value":"a"}}]}"#, "does not apply to a value of type STRING"),
        (#"{"recordType":"T","filterBy":[{"comparator":"EQUALS","systemFieldName":"createdTimestamp","fieldValue":{"value":"yesterday"}}]}"#, "cannot be compared with a value of type STRING"),
        (#"{"recordType":"T","filterBy":[{"comparator":"BEGINS_WITH","systemFieldName":"parent","fieldValue":{"value":"a"}}]}"#, "does not apply to 'parent'"),
        (#"{"recordType":"T","sortBy":[{"systemFieldName":"recordName","relativeLocation":{"latitude":1,"longitude":2}}]}"#, "has no distance from a place"),
    ])
    func `a query that makes no sense is refused with the reason`(json: String, reason: String) throws {
        let query = try RecordQuery(decoding: Data(json.utf8))
        let error = #expect(throws: ServerError.self) { try QueryRules(query) }
        #expect(error?.code == .badRequest && error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `a query may not grow without bound`() throws {
        let filter = QueryFilter(.field("f"), .equals, .int64(1))
        _ = try QueryRules(RecordQuery("T", filters: Array(repeating: filter, count: ServiceLimits.queryFilters)))
        for query in [
            RecordQuery("T", filters: Array(repeating: filter, count: ServiceLimits.queryFilters + 1)),
            RecordQuery("T", filters: [QueryFilter(.field("f"), .in, .int64List(Array(repeating: 1, count: ServiceLimits.queryValues + 1)))]),
            RecordQuery("T", sorts: Array(repeating: QuerySort(.field("f")), count: ServiceLimits.querySorts + 1)),
        ] { #expect(throws: ServerError.self) { try QueryRules(query) } }
    }

    @Test func `values of all kinds have one order, exact where numbers are long`() {
        let ascending: [QueryOperand?] = [
            nil, QueryOperand(-1e300), .integer(.min), QueryOperand(-0.5), .integer(0), QueryOperand(0.5), .integer(9_007_199_254_740_993), .integer(.max),
            QueryOperand(0x1p63), .text([]), .text(Array("A".utf8)), .text(Array("AB".utf8)), .text(Array("a".utf8)),
        ]
        for (left, first) in ascending.enumerated() {
            for (right, second) in ascending.enumerated() {
                #expect(QueryOperand.sortOrder(first, second).signum() == (left - right).signum(), "\(left) \(right)")
            }
        }
    }

    @Test func `a few fields are found among many, whatever their names and values look like`() throws {
        let fields = [
            "": Field(.string("")), "a\"b": Field(.string("\\\"}")), "n\u{1}": Field(.stringList(["]", "\n"])), "l": Field(.location(paris)),
            "z": Field(.string("é\0"), isEncrypted: true),
        ]
        let names = fields.keys.sorted() + ["absent", "a"]
        let found = try FieldScanner(names).fields(in: try fields.canonicalJSON())
        for (name, field) in zip(names, found) { #expect(field == fields[name], "\(name)") }
        for damaged in ["", "[", "{", "{\"a\"", "{\"a\":", "{\"a\":{\"value\":\"", "{x", "{\"a\":\"\\"] {
            #expect(throws: WireError.self) { try FieldScanner(["a"]).fields(in: Data(damaged.utf8)) }
        }
    }

    @Test func `a marker is good for its query only, and what is none is refused`() throws {
        let request = RecordQueryRequest(RecordQuery("T", sorts: [QuerySort(.field("f")), QuerySort(.field("g"))]), zoneID: ZoneID("Notes"))
        let place = QueryPlace(keys: [.text(Array("é\0".utf8)), nil], zone: "Notes", recordName: "r")
        let text = try QueryMarker(place).text(for: request)
        #expect(try QueryMarker(text, for: request).place == place)
        for key in [QueryOperand(0.1), .integer(.min), QueryOperand(-1e300)] {
            let place = QueryPlace(keys: [key, key], zone: "Notes", recordName: "r")
            #expect(try QueryMarker(QueryMarker(place).text(for: request), for: request).place == place)
        }
        var other = request
        other.query.recordType = "U"
        let foreign = #expect(throws: ServerError.self) { try QueryMarker(text, for: other) }
        #expect(foreign?.reason.contains("another query") == true)
        var fewer = request
        fewer.query.sorts.removeLast()
        let garbage = ["x", "", "AAAA", String(text.dropLast(4)), Data("{}".utf8).base64EncodedString(), Data("[[[[".utf8).base64EncodedString()]
        for (text, request) in garbage.map({ ($0, request) }) + [(text, fewer)] {
            #expect(throws: ServerError(.badRequest, "Invalid continuation format")) { try QueryMarker(text, for: request) }
        }
    }
}
