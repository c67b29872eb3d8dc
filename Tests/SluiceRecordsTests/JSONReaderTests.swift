import Foundation
import Testing

@testable import SluiceRecords

@Suite struct JSONReaderTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

    private func written(_ text: String) throws -> String { String(decoding: try parse(text).encoded(), as: UTF8.self) }

    @Test(arguments: [
        #"{"a":[1,-2,0.5,1e+20,true,false,null,"x"],"b":{}}"#, "[]", "9223372036854775807", "-9223372036854775808", "-0.0",
        "5e-324", "1.7976931348623157e+308", #""\u0000\n\t\"\\é€😀""#,
    ])
    func `a text in the writer's own form comes back byte for byte`(text: String) throws {
        #expect(try written(text) == text)
    }

    @Test func `every escape means its character, and space between tokens means nothing`() throws {
        #expect(try written(" [ \"\\u0041\\/\\b\\f\\ud83d\\ude00\" , 1.50 ,\n10E1\t] ") == #"["A/\u0008\u000c😀",1.5,100.0]"#)
    }

    @Test func `a lone combining mark and both forms of an accent keep their bytes`() throws {
        let text = "\"\u{301}e\u{301}\u{E9}\""
        guard case .string(let value) = try parse(text) else { return #expect(Bool(false)) }
        #expect(Array(value.utf8) == Array("\u{301}e\u{301}\u{E9}".utf8))
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "[1 2]", "01", "+1", "1.", ".5", "1e", "-", "tru", "nul", "NaN", "Infinity", "\"a",
        "\"\\x\"", "\"\\u12g4\"", "\"\u{1}\"", "1 1", "{\"a\" 1}", "'a'", "// c\n1", "\u{FEFF}1",
    ])
    func `what is not JSON is refused as malformed`(text: String) throws {
        #expect(try #require(throws: WireError.self) { try parse(text) }.code == .malformed)
    }

    @Test(arguments: ["\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\""])
    func `half of a surrogate pair is refused, not replaced`(text: String) throws {
        #expect(try #require(throws: WireError.self) { try parse(text) }.code == .notUnicode)
    }

    @Test func `bytes that are not UTF-8 are refused, with an escape before them or without`() throws {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0x5C, 0x6E, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(try #require(throws: WireError.self) { try JSONValue(parsing: Data(bytes)) }.code == .notUnicode)
        }
    }

    @Test func `a key that stands twice is refused, in small objects and large ones`() throws {
        let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
        for text in [#"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, "{\(many),\"k7\":1}"] {
            #expect(try #require(throws: WireError.self) { try parse(text) }.code == .duplicateKey)
        }
        #expect(throws: Never.self) { try parse("{\(many)}") }
    }

    @Test func `nesting has a bound, however deep the text goes`() throws {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(throws: Never.self) { try parse(deep(32)) }
        for levels in [33, 1_000_000] {
            #expect(try #require(throws: WireError.self) { try parse(deep(levels)) }.code == .tooDeep)
        }
    }

    @Test func `a number beyond a double is refused, one beyond Int64 is a double`() throws {
        for text in ["1e999", "-1e999", String(repeating: "9", count: 400), "0." + String(repeating: "0", count: 2_000)] {
            #expect(try #require(throws: WireError.self) { try parse(text) }.code == .numberOutOfRange)
        }
        #expect(try written("9223372036854775808") == "9.223372036854776e+18")
    }
}
