import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct StageValueTests {
    private func box(_ attributes: [String: PropertyValue] = [:]) throws -> StageFixture {
        try StageFixture { store in
            try store.put("Box", name: nil, RowEdit(attributes: attributes.merging(["code": .string("a")]) { first, _ in first }))
        }
    }

    private func attributes(_ fixture: StageFixture) throws -> [String: PropertyValue] {
        try fixture.migration.open { store in
            var found: [String: PropertyValue] = [:]
            guard let entity = store.layout.entities["Box"] else { return found }
            try store.forEachRow(of: entity) { found = $0.attributes }
            return found
        }
    }

    private static let uuid = "3F2504E0-4F89-11D3-9A0C-0305E82C3301"

    static let fitting: [(property: String, expression: String, value: PropertyValue)] = [
        ("short", "-32768", .integer(-32768)), ("short", "7.0", .integer(7)), ("short", "cast('12' AS INTEGER)", .integer(12)),
        ("long", "9223372036854775807", .integer(.max)), ("flag", "2 > 1", .boolean(true)), ("flag", "0", .boolean(false)),
        ("single", "0.1", .double(Double(Float(0.1)))), ("double", "3", .double(3)), ("double", "'nan'", .double(.nan)),
        ("double", "9e999", .double(.infinity)), ("money", "12", .decimal(12)), ("money", "'1.10'", .decimal(Decimal(string: "1.1")!)),
        ("money", "printf('%.2f', 2.5)", .decimal(Decimal(string: "2.5")!)),
        ("day", "unixepoch('2001-01-02') - 978307200", .date(Date(timeIntervalSinceReferenceDate: 86_400))),
        ("bytes", "x'00ff'", .data(Data([0, 255]))), ("coded", "cast('{}' AS BLOB)", .data(Data("{}".utf8))),
        ("key", "'\(uuid)'", .uuid(UUID(uuidString: uuid)!)),
        ("key", "x'3F2504E04F8911D39A0C0305E82C3301'", .uuid(UUID(uuidString: uuid)!)),
        ("link", "'https://a'", .string("https://a")), ("text", "''", .string("")), ("text", "NULL", .null),
    ]

    @Test(arguments: fitting) func `a value that fits is stored in the property's form`(
        property: String, expression: String, value: PropertyValue
    ) throws {
        let fixture = try box()
        try fixture.set("Box", property, expression)
        let attributes = try attributes(fixture)
        #expect(attributes[property] ?? .null == value)
        let stored = try Connection(path: fixture.migration.path, mode: .readWrite).value("SELECT \(SQLText.name(property)) FROM Box")
        #expect(stored == value.stored)
    }

    static let unfitting: [(property: String, expression: String)] = [
        ("short", "32768"), ("short", "'12'"), ("short", "1.5"), ("long", "1e300"), ("long", "x'01'"), ("flag", "2"), ("flag", "'true'"),
        ("single", "1e300"), ("double", "'1'"), ("double", "'nano'"), ("money", "1.1"), ("money", "'12 apples'"), ("money", "'NaN'"),
        ("money", "''"), ("day", "'2026-01-01'"), ("bytes", "'text'"), ("bytes", "1"),
        ("bytes", "'external:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08:300000'"), ("coded", "'{}'"),
        ("key", "x'00'"),
        ("key", "'no uuid'"), ("link", "1"), ("text", "1"), ("text", "x'61'"),
    ]

    @Test(arguments: unfitting) func `a value that does not fit ends the stage`(property: String, expression: String) throws {
        let fixture = try box()
        let error = #expect(throws: StageEditFailure.self) { try fixture.set("Box", property, expression) }
        guard case .wrongValues(_, rows: 1)? = error?.reason else { throw error ?? StageEditFailure.none }
        #expect(error?.property == property)
    }

    @Test func `a large value goes into a file, and the copy of one shares it`() throws {
        let fixture = try box(["bytes": .data(Data(repeating: 7, count: 200_000))])
        try fixture.run(StageEdit("Box", .set([.init("copy", "bytes"), .init("bytes", "zeroblob(150000)")])))
        let attributes = try attributes(fixture)
        #expect(attributes["copy"] == .data(Data(repeating: 7, count: 200_000)))
        #expect(attributes["bytes"] == .data(Data(count: 150_000)))
        #expect(try fixture.migration.count("SELECT count(*) FROM Box WHERE typeof(bytes) = 'text' AND typeof(copy) = 'text'") == 1)
    }
}
