import Foundation
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct StageCheckTests {
    private func faults(_ edit: StageEdit) throws -> [StageFault] {
        try StageCheck(Schema(name: "pantry", version: SchemaVersion(2, 0, 0), validating: .pantry)).faults(of: [edit], .after)
    }

    static let refused: [(expression: String, found: String)] = [
        ("", "nothing"), ("1; DROP TABLE Box", "a semicolon"), ("1) , (2", "a closing parenthesis too many"),
        ("1) OR (1", "a closing parenthesis too many"), ("(1", "an opening parenthesis too many"), ("/* open", "a comment without an end"),
        ("1 /*", "a comment without an end"), ("'open", "a quote without an end"), ("text || \"te", "a quote without an end"),
        ("?1", "a placeholder"), (":name", "a placeholder"), ("$name", "a placeholder"), ("@x", "a placeholder"), ("text\u{0}", "a NUL"),
        ("1, 2", "row value misused"), ("(1, 2)", "row value misused"), ("(SELECT 1, 2)", "sub-select returns 2 columns"),
        ("text AS x", "syntax error"), ("1 FROM Box", "syntax error"), ("DELETE FROM Box", "syntax error"), ("text +", "syntax error"),
        ("random()", "function random()"), ("hex(randomblob(4))", "function randomblob()"),
        ("CURRENT_TIMESTAMP", "function current_timestamp()"),
        ("date()", "date() without a date"), ("strftime('%s')", "strftime() without a date"), ("datetime('NOW ')", "'now'"),
        ("datetime(day, 'localtime')", "'localtime'"), ("load_extension('x')", "function load_extension()"),
        ("changes()", "function changes()"),
        ("sqlite_version()", "function sqlite_version()"), ("sin(double)", "function sin()"), ("sluice_nfc(text)", "function `sluice_nfc`"),
        ("count(*)", "misuse of aggregate"), ("sum(short)", "misuse of aggregate"), ("max(short)", "misuse of aggregate"),
        ("row_number() OVER ()", "misuse of window function"), ("RAISE(ABORT, 'x')", "RAISE()"),
        ("(SELECT value FROM _sluice_store)", "table `_sluice_store`"), ("(SELECT name FROM sqlite_master)", "table `sqlite_master`"),
        ("(SELECT name FROM pragma_table_info('Box'))", "more than read"), ("(SELECT 1 FROM nowhere)", "table `nowhere`"),
        ("(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)", "more than read"),
        ("txet", "column `txet`"), ("\"txet\"", "column `txet`"), ("Shelf.label", "column `Shelf.label`"), ("rowid", "column `rowid`"),
        ("text COLLATE nowhere = 'x'", "no such collation"), ("text MATCH 'x'", "function match()"), ("text REGEXP 'x'", "REGEXP"),
        (String(repeating: "(", count: 50_000) + "1" + String(repeating: ")", count: 50_000), "what SQLite does not take"),
        (Array(repeating: "1", count: 50_000).joined(separator: "+"), "what SQLite does not take"),
    ]

    @Test(arguments: refused) func `what is not one expression over one row is refused, as a value and as a condition`(
        expression: String, found: String
    ) throws {
        let value = try faults(StageEdit("Box", .set([.init("text", expression)])))
        #expect(value.first?.place == .expression(.after, 0, "text"))
        #expect(value.first?.found.contains(found) == true, "\(value)")
        let condition = try faults(StageEdit("Box", where: expression, .delete))
        #expect(condition.first?.place == .condition(.after, 0))
        #expect(condition.first?.found.contains(found) == true, "\(condition)")
    }

    @Test(arguments: [
        "text -- a comment", "/* a */ 'it''s; (' || text", "coalesce([text], `code`, \"link\")",
        "(SELECT count(*) FROM Shelf WHERE label LIKE 'a%')",
        "CASE WHEN short > 3 THEN 'x' ELSE text END", "strftime('%Y', day + 978307200, 'unixepoch')", "text COLLATE NOCASE = 'now'",
        "json_extract(text, '$.a')", "text ->> '$.a'", "(SELECT group_concat(value, ';') FROM json_each(text))", "cast(double AS TEXT)",
        "text IN ('a', 'b') AND NOT flag", "x'3b28'", "line IS NOT NULL AND _pk > 0", "max(short, 1)",
    ])
    func `an expression over one row is taken`(expression: String) throws {
        #expect(try faults(StageEdit("Box", where: expression, .set([.init("text", expression)]))) == [])
    }

    @Test func `an unknown name comes with those that are known`() throws {
        let entity = try faults(StageEdit("Bix", .delete))
        #expect(entity.first?.unknown == "Bix")
        #expect(entity.first?.known.contains("Box") == true)
        let property = try faults(StageEdit("Box", .set([.init("txet", "1")])))
        #expect(property.first?.found == "property `txet`")
        #expect(property.first?.known.contains("text") == true)
        let column = try faults(StageEdit("Box", where: "txet = 1", .delete))
        #expect(column.first?.unknown == "txet")
        #expect(try faults(StageEdit("Thing", .set([.init("fill", "1")]))).first?.expected.contains("an edit of Jar, which has it") == true)
    }

    @Test func `what a statement cannot set alone is refused`() throws {
        func found(_ entity: String, _ property: String) throws -> String? {
            try faults(StageEdit(entity, .set([.init(property, "NULL")]))).first.map { "\($0.found); \($0.expected)" }
        }
        #expect(try found("Box", "code")?.contains("of which record names of Box are made") == true)
        #expect(try found("Shelf", "things")?.contains("`Thing.shelf`, set over there") == true)
        #expect(try found("Box", "line")?.contains("keeps an order") == true)
        #expect(try found("Shelf", "lamp")?.contains("has one partner, too") == true)
        #expect(try found("Lamp", "home")?.contains("has one partner, too") == true)
        #expect(try found("Thing", "shelf") == nil)
        #expect(try found("Box", "_pk")?.hasPrefix("property `_pk`") == true)
    }

    @Test func `an edit sets something, and each property once`() throws {
        #expect(try faults(StageEdit("Box", .set([]))).count == 1)
        #expect(try faults(StageEdit("Box", .set([.init("text", "1"), .init("text", "2")]))).first?.found == "property `text` again")
    }
}
