import Foundation
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

@Suite struct OutputTests {
    private func fixture() throws -> GlanceFixture {
        let fixture = try GlanceFixture()
        let store = fixture.store
        try store.write {
            try store.put("List", name: .text("L"), RowEdit(attributes: ["name": .string("food")]))
            try store.put(
                "Item", name: .text("1"),
                RowEdit(
                    attributes: [
                        "title": .string("milk\nfresh"), "price": .double(1.5), "due": .date(Date(timeIntervalSince1970: 1_771_416_482)),
                    ], references: ["list": .text("L")]))
            try store.put(
                "Item", name: .text("2"),
                RowEdit(attributes: ["title": .string("bread"), "price": .double(.nan), "isChecked": .boolean(true)]))
        }
        try fixture.writer.update(from: store, lastSync: Date())
        return fixture
    }

    @Test func `each format prints the same rows`() throws {
        let fixture = try fixture()
        #expect(
            try fixture.glance("list", "Item", "--order", "title").output == """
                bread\tnan\ttrue\t\t
                milk\\nfresh\t1.5\tfalse\t2026-02-18T12:08:02.000Z\tL

                """)
        #expect(
            try fixture.glance("list", "Item", "--format", "table", "--fields", "title,price,_name", "--where", "isChecked").output == """
                title  price  _name
                bread    nan  2

                """)
        #expect(
            try fixture.glance("list", "Item", "--format", "jsonl", "--where", "list.name == 'food'").output == """
                {"_entity":"Item","_name":"1","due":"2026-02-18T12:08:02.000Z","isChecked":false,"list":"L","price":1.5,"title":"milk\\nfresh"}

                """)
        #expect(try fixture.glance("list", "Item", "--json", "--fields", "_name", "--order", "title").output == "[{\"_name\":\"2\"},{\"_name\":\"1\"}]\n")
        #expect(try fixture.glance("query", "Item", "price > 5", "--json").output == "[]\n")
        #expect(try fixture.glance("query", "Item", "price < 5", "--fields", "title").output == "milk\\nfresh\n")
        #expect(try fixture.glance("get", "2", "--template", "{{title}}:\\t{{ _entity }} {{due}}!").output == "bread:\tItem !\n")
        #expect(try fixture.glance("get", "2", "--json", "--fields", "price").output == "{\"price\":\"nan\"}\n")
        #expect(try fixture.glance("count", "Item", "--json").output == "{\"count\":2}\n")
    }

    @Test func `a limit that leaves rows out says so`() throws {
        let fixture = try fixture()
        let outcome = try fixture.glance("list", "Item", "--limit", "1", "--fields", "_name")
        #expect(outcome == .init(status: 0, output: "1\n", errors: "1 of 2 rows; --limit 0 prints all\n"))
        #expect(try fixture.glance("list", "Item", "--limit", "0", "--fields", "_name").output == "1\n2\n")
    }

    @Test func `status names the store, its schema and its age`() throws {
        let fixture = try fixture()
        let outcome = try fixture.glance("status", "--stale-after", "1h")
        #expect(outcome.status == 0)
        #expect(
            Array(outcome.lines.prefix(5)) == [
                "state: current", "store: Local.1.store", "schema: shop", "schema version: 1.0.0", "generation: 1",
            ])
        #expect(outcome.lines.last?.hasPrefix("last sync: ") == true)
    }

    @Test(arguments: [
        ["list", "Item", "--json", "--format", "table"], ["list", "Item", "--format", "template"],
        ["list", "Item", "--template", "{{title"], ["list", "Item", "--limit", "-1"], ["list"], ["query", "Item"],
        ["list", "Item", "--format", "waybar", "--markup", "pango"], ["count", "Item", "--format", "prompt", "--width", "0"], ["completions", "ksh"],
    ])
    func `a contradiction on the command line is refused before anything is opened`(arguments: [String]) throws {
        let outcome = try GlanceFixture.run([GlanceFixture.program] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
    }

    @Test func `a template that names what is not there is refused, and a total is counted where it is named`() throws {
        let fixture = try fixture()
        for arguments in [
            ["count", "Item", "--template", "{{count}}/{{sum}}"], ["status", "--template", "{{title}}"],
            ["list", "Item", "--template", "{{nothing}}"], ["list", "Item", "--fields", "title", "--template", "{{nothing}}"],
            ["list", "Item", "--where", "title == 'x'", "--format", "waybar", "--fields", "title", "--template", "{{nothing}}"],
            ["get", "1", "--fields", "title", "--template", "{{nothing}}"],
        ] {
            let outcome = try fixture.glance(arguments)
            #expect(outcome.status == 64 && outcome.output == "", "\(arguments)")
        }
        #expect(try fixture.glance("count", "Item", "--template", "{{count}}/{{total}} {{percentage}} %").output == "2/2 100 %\n")
        #expect(try fixture.glance("count", "Item", "--template", "{{count}}/{{total}}", "--where", "isChecked").output == "1/2\n")
        #expect(try fixture.glance("list", "Item", "--fields", "title", "--template", "{{_name}} {{price}}", "--limit", "1").output == "1 1.5\n")
    }

    @Test func `JSON commands no terminal and turns no text around`() throws {
        let fixture = try GlanceFixture()
        let title = "a\u{9B}31m\u{85}\u{7F}\u{202E}\u{2066}\u{2028}é界"
        try fixture.put(title)
        try fixture.writer.update(from: fixture.store)
        for format in ["json", "jsonl"] {
            let outcome = try fixture.glance("list", "Item", "--format", format, "--fields", "title")
            #expect(outcome.output.contains(#""a\u009b31m\u0085\u007f\u202e\u2066\u2028é界""#), "\(format)")
            let read = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            #expect((read as? [String: String] ?? (read as? [[String: String]])?.first)?["title"] == title)
        }
    }

    @Test(arguments: ["title.localizedStandardContains('MILK')", "!(isChecked || title.caseInsensitiveCompare('MILK') == .orderedSame)"])
    func `a condition that helpers cannot work out is named, with rows and without`(filter: String) throws {
        let fixture = try fixture()
        for arguments in [
            ["query", "Item", filter], ["count", "Item", "--where", filter], ["count", "Photo", "--where", "title.localizedStandardContains('x')"],
        ] {
            let outcome = try fixture.glance(arguments)
            #expect(outcome.status == 64 && outcome.output == "" && !outcome.errors.contains("damaged"), "\(outcome.errors)")
            #expect(outcome.errors.contains("localizedStandardContains") || outcome.errors.contains("caseInsensitiveCompare"))
        }
    }
}
