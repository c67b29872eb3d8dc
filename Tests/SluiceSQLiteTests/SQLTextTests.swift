import Testing

@testable import SluiceSQLite

@Suite struct SQLTextTests {
    @Test(arguments: ["plain", "with \" one", "\"\"", "a\"\u{308}b", "'", "it's", "'\u{301}", ""])
    func `a name and a literal are what they say, whatever stands after a quote`(_ text: String) throws {
        let connection = try Connection(path: "", mode: .memory)
        let value = try connection.value("SELECT \(SQLText.literal(text))")
        #expect(value?.text.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        guard !text.isEmpty else { return }
        try connection.execute("CREATE TABLE \(SQLText.name(text))(v)")
        let name = try connection.value("SELECT name FROM sqlite_master")
        #expect(name?.text.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }
}
