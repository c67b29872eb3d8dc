import Foundation
import Testing

@testable import SluiceRecords

@Suite struct FieldCodingTests {
    private func decode(_ text: String) throws -> Field { try Field(decoding: Data(text.utf8)) }
    private func encode(_ field: Field) throws -> String { String(decoding: try field.encoded(), as: UTF8.self) }

    static let samples: [(Field, String)] = [
        (Field(.string("hi")), #"{"value":"hi","type":"STRING"}"#),
        (Field(.string("")), #"{"value":"","type":"STRING"}"#),
        (Field(.string("a\0\u{301}😀")), "{\"value\":\"a\\u0000\u{301}😀\",\"type\":\"STRING\"}"),
        (Field(.int64(.max)), #"{"value":9223372036854775807,"type":"INT64"}"#),
        (Field(.int64(.min)), #"{"value":-9223372036854775808,"type":"INT64"}"#),
        (Field(.double(2)), #"{"value":2.0,"type":"DOUBLE"}"#),
        (Field(.double(-0.0)), #"{"value":-0.0,"type":"DOUBLE"}"#),
        (Field(.double(.leastNonzeroMagnitude)), #"{"value":5e-324,"type":"DOUBLE"}"#),
        (Field(.timestamp(1_771_416_482_061)), #"{"value":1771416482061,"type":"TIMESTAMP"}"#),
        (Field(.bytes(Data([0, 255]))), #"{"value":"AP8=","type":"BYTES"}"#),
        (Field(.bytes(Data())), #"{"value":"","type":"BYTES"}"#),
        (Field(.location(Location(latitude: 48.2, longitude: -16))), #"{"value":{"latitude":48.2,"longitude":-16.0},"type":"LOCATION"}"#),
        (
            Field(.reference(Reference(recordName: "A1", zoneID: ZoneID("Notes"), action: .validate))),
            #"{"value":{"recordName":"A1","zoneID":{"zoneName":"Notes","zoneType":"REGULAR_CUSTOM_ZONE"},"action":"VALIDATE"},"type":"REFERENCE"}"#
        ),
        (Field(.asset(Asset(fileChecksum: "c", size: 3))), #"{"value":{"fileChecksum":"c","size":3},"type":"ASSETID"}"#),
        (Field(.stringList([])), #"{"value":[],"type":"STRING_LIST"}"#),
        (Field(.stringList(["a", "b"])), #"{"value":["a","b"],"type":"STRING_LIST"}"#),
        (Field(.int64List([1])), #"{"value":[1],"type":"INT64_LIST"}"#),
        (Field(.doubleList([1])), #"{"value":[1.0],"type":"DOUBLE_LIST"}"#),
        (Field(.timestampList([1])), #"{"value":[1],"type":"TIMESTAMP_LIST"}"#),
        (Field(.bytesList([Data([1])])), #"{"value":["AQ=="],"type":"BYTES_LIST"}"#),
        (Field(.locationList([])), #"{"value":[],"type":"LOCATION_LIST"}"#),
        (Field(.referenceList([Reference(recordName: "x")])), #"{"value":[{"recordName":"x","action":"NONE"}],"type":"REFERENCE_LIST"}"#),
        (Field(.assetList([])), #"{"value":[],"type":"ASSETID_LIST"}"#),
        (Field(.emptyList), #"{"value":[],"type":"UNKNOWN_LIST"}"#),
        (Field(.string("s"), isEncrypted: true), #"{"value":"s","type":"STRING","isEncrypted":true}"#),
        (Field(nil), #"{"value":null}"#),
        (Field(.other(type: "ENCRYPTED_BYTES", json: Data(#""AQ==""#.utf8))), #"{"value":"AQ==","type":"ENCRYPTED_BYTES"}"#),
    ]

    @Test(arguments: samples) func `each kind of value has one form and comes back exactly`(field: Field, text: String) throws {
        #expect(try encode(field) == text)
        #expect(try decode(text) == field)
    }

    @Test(arguments: [
        (#"{"value":"x"}"#, FieldValue.string("x")), (#"{"value":7}"#, .int64(7)), (#"{"value":7.5}"#, .double(7.5)),
        (#"{"value":true}"#, .int64(1)), (#"{"value":false,"type":"INT64"}"#, .int64(0)), (#"{"value":[]}"#, .emptyList),
        (#"{"value":["a"]}"#, .stringList(["a"])), (#"{"value":[1,2]}"#, .int64List([1, 2])),
        (#"{"value":{"latitude":1,"longitude":2}}"#, .location(Location(latitude: 1, longitude: 2))),
        (#"{"value":{"recordName":"r","action":"NONE"}}"#, .reference(Reference(recordName: "r"))),
        (#"{"value":{"fileChecksum":"c"},"type":"ASSET"}"#, .asset(Asset(fileChecksum: "c"))),
        (#"{"value":7,"type":"DOUBLE"}"#, .double(7)), (#"{"value":"7","type":"INT64"}"#, .int64(7)),
        (#"{"value":"0.1","type":"DOUBLE"}"#, .double(0.1)), (#"{"value":1e3,"type":"TIMESTAMP"}"#, .timestamp(1_000)),
    ])
    func `a value without a type, and a number as text, is read as the dialect infers it`(text: String, value: FieldValue) throws {
        #expect(try decode(text) == Field(value))
    }

    @Test(arguments: [
        #"{"value":1.5,"type":"TIMESTAMP"}"#, #"{"value":1e300,"type":"INT64"}"#, #"{"value":9007199254740993.0,"type":"INT64"}"#,
        #"{"value":"NaN","type":"DOUBLE"}"#, #"{"value":"inf","type":"DOUBLE"}"#, #"{"value":"%%%","type":"BYTES"}"#, #"{"value":5,"type":"STRING"}"#,
        #"{"value":[1,"a"]}"#, #"{"value":[null]}"#, #"{"value":{"x":1}}"#, #"{"value":{"recordName":"r","action":"X"},"type":"REFERENCE"}"#,
        #"{"value":{"recordName":"r"},"type":"REFERENCE"}"#, #"{"value":1,"type":7}"#, #""text""#,
    ])
    func `a value that does not fit its type is refused`(text: String) throws {
        #expect(throws: WireError.self) { try decode(text) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that JSON cannot write throws and names its field`(value: Double) throws {
        let record = Record("r", fields: ["price": Field(.double(value))])
        let error = try #require(throws: WireError.self) { try record.encoded() }
        #expect(error.code == .numberOutOfRange)
        #expect(error.path == "fields.price")
    }

    @Test func `random doubles and integers keep every bit`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let double = Double(bitPattern: random.next())
            if double.isFinite { #expect(try decode(encode(Field(.double(double)))) == Field(.double(double))) }
            let integer = Int64(bitPattern: random.next())
            #expect(try decode(encode(Field(.int64(integer)))) == Field(.int64(integer)))
        }
    }

    @Test func `numbers go out as text where the client asks for it, and come back`() throws {
        var writer = JSONWriter()
        writer.numbersAsStrings = true
        let fields = ["a": Field(.int64(5)), "b": Field(.double(0.1)), "c": Field(.timestamp(9)), "d": Field(.int64List([1]))]
        try fields.write(to: &writer)
        let text = #"{"a":{"value":"5","type":"INT64"},"b":{"value":"0.1","type":"DOUBLE"},"c":{"value":9,"type":"TIMESTAMP"},"#
            + #""d":{"value":["1"],"type":"INT64_LIST"}}"#
        #expect(String(decoding: writer.data, as: UTF8.self) == text)
        #expect(try [String: Field].decode(JSONValue(parsing: writer.data)) == fields)
    }

    @Test func `equality is of bytes and bits`() {
        #expect(FieldValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(FieldValue.double(0) != .double(-0.0))
        #expect(FieldValue.double(.nan) == .double(.nan))
        #expect(FieldValue.stringList([]) != .emptyList)
    }
}
