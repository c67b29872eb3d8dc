import Testing

@testable import SluiceNotation

@Suite struct NotationTests {
    @Test(arguments: [("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("12h", 43_200_000), ("90d", 7_776_000_000), ("0s", 0)])
    func `a duration is a number and a unit, and is written as it was read`(text: String, milliseconds: Int) throws {
        let duration = try #require(Duration(notation: text))
        #expect(duration == .milliseconds(milliseconds))
        #expect(duration.notation == text)
    }

    @Test(arguments: ["", "30", "s", "1.5s", "-1s", "1 s", "1S", "99999999999999999999s", "40000d", "٣s"])
    func `anything else is no duration`(text: String) {
        #expect(Duration(notation: text) == nil)
    }

    @Test(arguments: [("512B", 512), ("64MiB", 64 << 20), ("1GiB", 1 << 30), ("3KiB", 3072), ("0B", 0)])
    func `a size is a number and a unit, and is written as it was read`(text: String, bytes: Int64) throws {
        let count = try #require(ByteCount(notation: text))
        #expect(count.bytes == bytes)
        #expect(count.description == text)
    }

    @Test func `decimal units are powers of ten and overflow is refused`() {
        #expect(ByteCount(notation: "2MB")?.bytes == 2_000_000)
        #expect(ByteCount(notation: "9999999TiB") == nil)
        #expect(ByteCount(notation: "64") == nil)
    }

    @Test(arguments: [("stauts", "status"), ("unix_group", "unixGroup"), ("credential", "credentials"), ("urll", "url")])
    func `a slip finds the word that was meant`(typed: String, meant: String) {
        #expect(Spelling.nearest(to: typed, in: ["status", "unixGroup", "credentials", "url", "zone"]) == meant)
    }

    @Test func `a word that is far from every known one finds nothing`() {
        #expect(Spelling.nearest(to: "banana", in: ["status", "query"]) == nil)
        #expect(Spelling.nearest(to: String(repeating: "a", count: 100_000), in: ["status"]) == nil)
    }
}
