import FoundationEssentials
import Testing

@testable import SluiceReader

@Suite struct SharedValueTests {
    @Test(arguments: [
        (SharedValue.string("a\"é"), "\"a\\\"é\""), (.integer(.min), "-9223372036854775808"), (.boolean(false), "false"),
        (.double(1), "{\"double\":1}"), (.double(.infinity), "{\"double\":\"inf\"}"), (.data(Data([1, 2, 3])), "{\"data\":\"AQID\"}"),
        (.date(Date(timeIntervalSince1970: 1_767_225_600.5)), "{\"date\":\"2026-01-01T00:00:00.500Z\"}"),
        (.list([.string("a"), .integer(1), .list([])]), "[\"a\",1,[]]"),
    ])
    func `each type has one form in JSON, and reads back to itself`(value: SharedValue, json: String) throws {
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(SharedValue.self, from: Data(json.utf8)) == value)
    }

    @Test(arguments: [
        ("int", "1.5"), ("int", "x"), ("bool", "yes"), ("date", "tomorrow"), ("data", "=="), ("double", ""), ("list", "[]"), ("other", "x"),
    ])
    func `a text that is none of its type is no value`(type: String, text: String) {
        #expect(SharedValue(text, as: type) == nil)
    }

    @Test func `what a text is read to prints as that text`() {
        for (type, text) in [("string", "x"), ("int", "-3"), ("double", "0.5"), ("bool", "true"), ("date", "2026-01-01T00:00:00.000Z"), ("data", "AQID")] {
            #expect(SharedValue(text, as: type).map { "\($0.type) \($0)" } == "\(type) \(text)")
        }
        #expect(SharedValue("2026-01-01", as: "date")?.description == "2026-01-01T00:00:00.000Z")
    }

    @Test(arguments: ["{}", "null", "{\"date\":\"x\"}", "{\"data\":\"*\"}", "{\"double\":\"x\"}", String(repeating: "[", count: 40) + String(repeating: "]", count: 40)])
    func `anything else in the file is an error and no value`(json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(SharedValue.self, from: Data(json.utf8)) }
    }
}
