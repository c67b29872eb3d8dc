import Foundation
import SluiceData
import Testing

@Suite struct CanonicalJSONTests {
    private struct Everything: Codable, Equatable {
        enum Payment: Codable, Equatable { case cash, card(number: String) }
        var z = Int64.max
        var a = UInt64.max
        var decimal = Decimal(string: "79228162514264337593543950335.1") ?? 0
        var double = 0.1 + 0.2
        var negativeZero = -0.0
        var tiny = Double.leastNonzeroMagnitude
        var date = Date(timeIntervalSinceReferenceDate: 123_456_789.123_456_79)
        var data = Data([0, 255])
        var text = "\u{0}a/\"é\u{301}😀"
        var payments = [Payment.cash, .card(number: "1")]
        var nested: [String: [Int?]] = ["b": [nil, 1], "a": []]
        var url = URL(string: "https://example.com/a?b=c")
        var none: Int?
    }

    @Test func `every value comes back as it was`() throws {
        let value = Everything()
        let back = try CanonicalJSON.decode(Everything.self, from: CanonicalJSON.encode(value))
        #expect(back == value)
        #expect(back.negativeZero.sign == .minus)
        #expect(back.date.timeIntervalSinceReferenceDate.bitPattern == value.date.timeIntervalSinceReferenceDate.bitPattern)
        for odd in [Double.nan, .infinity, -.infinity] {
            let same = try CanonicalJSON.decode([Double].self, from: CanonicalJSON.encode([odd]))
            #expect(same[0] == odd || same[0].isNaN && odd.isNaN)
        }
    }

    @Test func `equal values have equal bytes, their keys in order`() throws {
        let bytes = try CanonicalJSON.encode(Everything())
        for _ in 0..<20 { #expect(try CanonicalJSON.encode(Everything()) == bytes) }
        #expect(try CanonicalJSON.encode(["b": 1, "a": 2, "c/d": 3]) == Data(#"{"a":2,"b":1,"c/d":3}"#.utf8))
    }

    @Test func `values that stand alone are JSON too`() throws {
        #expect(try CanonicalJSON.decode(Int.self, from: CanonicalJSON.encode(7)) == 7)
        #expect(try CanonicalJSON.decode(Int?.self, from: CanonicalJSON.encode(Int?.none)) == nil)
    }

    @Test func `sets, and dictionaries without texts as keys, have no order to rely on`() {
        struct Holder: Codable { var inner: [Set<Int>] = [[1, 2]] }
        #expect(CanonicalJSON.isCanonical(Everything()))
        #expect(CanonicalJSON.isCanonical([1: 2, 3: 4]) && CanonicalJSON.isCanonical(Set<Int>([1])))
        #expect(!CanonicalJSON.isCanonical(Set([1, 2])))
        #expect(!CanonicalJSON.isCanonical([UUID(): 1, UUID(): 2]))
        #expect(!CanonicalJSON.isCanonical(Holder()))
        #expect(!CanonicalJSON.isCanonical(Holder?.some(Holder()) as Any))
    }
}
