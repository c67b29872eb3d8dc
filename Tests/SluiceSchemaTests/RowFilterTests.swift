import Testing

@testable import SluiceSchema

@Suite struct RowFilterTests {
    @Test func `and binds tighter than or, and a negation only what follows it`() throws {
        let filter = try RowFilter(parsing: "!a || b == 1 && c > 2.5")
        #expect(
            filter
                == .or(
                    .not(.comparison("a", .equal, .boolean(true))),
                    .and(.comparison("b", .equal, .integer(1)), .comparison("c", .greater, .number(2.5)))))
    }

    @Test(arguments: [
        ("isChecked == false", RowFilter.comparison("isChecked", .equal, .boolean(false))),
        ("author.name != nil", .comparison("author.name", .notEqual, .null)),
        ("author?.name != nil", .comparison("author.name", .notEqual, .null)),
        ("title.contains('50%')", .match("title", .contains, "50%")),
        ("list.title.hasPrefix(\"a\\\"\\u{e9}\\0\")", .match("list.title", .hasPrefix, "a\"\u{e9}\0")),
        ("status in [\"draft\", nil, -3]", .membership("status", [.text("draft"), .null, .integer(-3)])),
        ("contains == 1e3", .comparison("contains", .equal, .number(1_000))),
        ("((x <= 9223372036854775807))", .comparison("x", .lessOrEqual, .integer(.max))),
    ])
    func `each form of condition is read`(text: String, expected: RowFilter) throws {
        #expect(try RowFilter(parsing: text) == expected)
    }

    @Test(arguments: [
        ("", 1), ("price >", 8), ("price > 3 &&", 13), ("(price > 3", 11), ("price > 3)", 10), ("price =", 8),
        ("name == \"open", 9), ("name == \"\\q\"", 10), ("x in 3", 6), ("x in [1 2]", 9), ("x == 9223372036854775808", 6), ("x ; y", 3),
        ("title.contains(3)", 16), ("a..b", 3), ("in == 3", 1),
    ])
    func `a fault is reported with the column where reading stopped`(text: String, column: Int) {
        do throws(FilterError) {
            _ = try RowFilter(parsing: text)
            Issue.record("was read")
        } catch {
            guard case .syntax(column, _, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(arguments: [
        "a == 'x\\n\"\\\\\\0' || !(b.c in [1, 2.5, nil] && d)", "x.contains('%') && y <= -1e300", "!!a", "a in []",
        "a == '\"\u{301}b\\\\\u{301}'",
    ])
    func `a filter as text reads back to the same filter`(text: String) throws {
        let filter = try RowFilter(parsing: text)
        #expect(try RowFilter(parsing: filter.description) == filter)
    }

    @Test func `depth, length and lists are bounded`() {
        for text in [
            String(repeating: "(", count: 10_000), String(repeating: "!", count: 10_000), String(repeating: "a", count: 20_000),
            "x in [" + Array(repeating: "1", count: 2_000).joined(separator: ",") + "]",
        ] {
            do throws(FilterError) {
                _ = try RowFilter(parsing: text)
                Issue.record("was read")
            } catch {
                guard case .tooLarge = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test func `an order names properties and directions`() throws {
        let order = try RowOrder(parsing: "price desc, list.title asc, name")
        #expect(order == RowOrder([.init("price", isDescending: true), .init("list.title"), .init("name")]))
        #expect(throws: FilterError.self) { try RowOrder(parsing: "price down") }
    }
}
