import Foundation
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup
@testable import SluiceMCP

/// What the tools and resources say.
@Suite struct ToolTests {
    private func fixture(rowsMax: Int = 500) throws -> ServerFixture {
        let fixture = try ServerFixture(rowsMax: rowsMax)
        try fixture.initialize()
        return fixture
    }

    @Test func `every tool says that it only reads, and what it takes`() throws {
        let tools = try #require(try fixture().result("tools/list")["tools"] as? [[String: Any]])
        #expect(tools.map { $0["name"] as? String } == ["list_entities", "describe_entity", "query", "get", "freshness"])
        for tool in tools {
            #expect((tool["annotations"] as? [String: Bool])?["readOnlyHint"] == true)
            let schema = try #require(tool["inputSchema"] as? [String: Any])
            #expect(schema["type"] as? String == "object" && schema["additionalProperties"] as? Bool == false)
        }
        let query = try #require(tools[2]["inputSchema"] as? [String: Any])
        #expect(query["required"] as? [String] == ["entity"])
        #expect(Set((query["properties"] as? [String: Any] ?? [:]).keys) == ["entity", "filter", "fields", "order", "limit"])
    }

    @Test func `entities are listed with their rows, and described with their properties`() throws {
        let fixture = try fixture()
        let list = try fixture.answer("list_entities")
        let entities = try #require(list["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Item", "List"] && entities.map { $0["rows"] as? Int } == [3, 1])
        #expect(list["generation"] as? Int == 1 && list["lastSync"] as? String == "2026-02-18T12:08:02Z")
        let item = try fixture.answer("describe_entity", ["entity": "Item"])
        let attributes = try #require(item["attributes"] as? [[String: Any]])
        #expect(attributes.map { $0["name"] as? String } == ["title", "price", "isDone", "photo"])
        #expect(attributes[1]["type"] as? String == "double" && attributes[1]["optional"] as? Bool == true)
        let relationships = try #require(item["relationships"] as? [[String: Any]])
        #expect(relationships[0]["destination"] as? String == "List" && relationships[0]["toMany"] as? Bool == false)
    }

    @Test func `a query takes a condition, fields, an order and a limit, and says what it left out`() throws {
        let fixture = try fixture()
        let found = try fixture.answer("query", ["entity": "Item", "filter": "isDone == false", "order": "title desc", "fields": ["title"], "limit": 1])
        let rows = try #require(found["rows"] as? [[String: Any]])
        #expect(rows.count == 1 && rows[0]["title"] as? String == "milk" && Set(rows[0].keys) == ["_name", "_entity", "title"])
        #expect(found["returned"] as? Int == 1 && found["total"] as? Int == 2 && found["note"] is String)
        let all = try fixture.answer("query", ["entity": "Item", "order": "title"])
        let usual = try #require(all["rows"] as? [[String: Any]])
        #expect(usual.count == 3 && all["note"] == nil)
        // Bytes are for who asks for them; what JSON has no number for is a text.
        #expect(usual[0]["photo"] == nil && usual[0]["price"] as? String == "nan" && usual[0]["title"] as? String == "\"soap\"\n" && usual[1]["list"] as? String == "food")
        let photo = try fixture.answer("get", ["name": "milk", "fields": ["photo"]])
        #expect((photo["record"] as? [String: Any])?["photo"] as? String == "AQID")
    }

    @Test func `no answer has more rows than the server allows, or more bytes`() throws {
        let few = try fixture(rowsMax: 2)
        let capped = try few.answer("query", ["entity": "Item", "limit": 1_000_000])
        #expect(capped["returned"] as? Int == 2 && capped["total"] as? Int == 3 && (capped["note"] as? String)?.contains("up to 2") == true)
        let fixture = try fixture()
        let long = String(repeating: "x", count: 1_000)
        try fixture.store.write {
            for number in 0..<400 {
                let edit = RowEdit(attributes: ["title": .string("\(long)\(number)"), "isDone": .boolean(true)])
                try fixture.store.put("Item", name: .text("long \(number)"), edit)
            }
            try fixture.store.put("List", name: .text("long"), RowEdit(attributes: ["name": .string(String(repeating: "x", count: 300_000))]))
        }
        try fixture.writer.update(from: fixture.store)
        let (text, isError) = try fixture.call("query", ["entity": "Item", "limit": 500])
        #expect(!isError && text.utf8.count < 300_000 && text.contains("the answer was full"))
        let record = try fixture.call("get", ["name": "long"])
        #expect(record.isError && record.text.contains("name fewer fields"))
    }

    @Test(arguments: [
        ("query", ["entity": "Nothing"], "there are Item, List"), ("query", ["entity": "Item", "filter": "price >"], "filter, "),
        ("query", ["entity": "Item", "filter": "nothing == 1"], "nothing"), ("query", ["entity": "Item", "order": "nothing"], "nothing"),
        ("query", ["entity": "Item", "fields": "nothing"], "must be an array"), ("query", ["entity": "Item", "limit": "ten"], "must be a whole number"),
        ("query", ["entity": "Item", "limt": "1"], "no argument limt"), ("query", [:], "entity is missing"), ("get", ["name": "nobody"], "no record nobody"),
        ("describe_entity", ["entity": "nothing"], "there is no entity"), ("list_entities", ["entity": "Item"], "no argument entity"),
    ] as [(String, [String: String], String)])
    func `a question that cannot be answered is told why, as an answer`(tool: String, arguments: [String: String], reason: String) throws {
        let (text, isError) = try fixture().call(tool, arguments)
        #expect(isError && text.contains(reason), "\(text)")
    }

    @Test func `a container that is not there, migrates or is unreadable is an answer, and the server goes on`() throws {
        let fixture = try ServerFixture(isFilled: false)
        try fixture.initialize()
        #expect(try fixture.answer("freshness")["status"] as? String == "noStore")
        let none = try fixture.call("list_entities")
        #expect(none.isError && none.text.hasPrefix("noStore: "))
        #expect((try fixture.result("resources/list")["resources"] as? [Any])?.isEmpty == true)
        #expect(try fixture.errorCode("resources/read", ["uri": "sluice://shop/entity/Item"]) == -32_000)
        try fixture.writer.directory.announce(.migrating(MigrationProgress(stage: 1, of: 2, named: "first")))
        let migrating = try fixture.answer("freshness")
        #expect(migrating["status"] as? String == "migrating" && (migrating["migration"] as? [String: Any])?["stageCount"] as? Int == 2)
        #expect(try fixture.call("query", ["entity": "Item"]).text.hasPrefix("migrating: "))
        try fixture.fill()
        let stale = try fixture.answer("freshness")
        #expect(stale["status"] as? String == "stale" && stale["generation"] as? Int == 1 && (stale["secondsSinceSync"] as? Int ?? 0) > 3_600)
        try Data("{".utf8).write(to: fixture.folder.appending(path: "groups/shop/defaults.json"))
        #expect(try fixture.call("list_entities").text.hasPrefix("unavailable: "))
        #expect(try fixture.answer("freshness")["problem"] is String)
    }

    @Test func `each entity is a resource, and each record has an address`() throws {
        let fixture = try fixture()
        let resources = try #require(try fixture.result("resources/list")["resources"] as? [[String: Any]])
        #expect(resources.map { $0["uri"] as? String } == ["sluice://shop/entity/Item", "sluice://shop/entity/List"])
        let templates = try #require(try fixture.result("resources/templates/list")["resourceTemplates"] as? [[String: Any]])
        #expect(templates.map { $0["uriTemplate"] as? String } == ["sluice://shop/entity/{name}", "sluice://shop/record/{name}"])
        for (uri, part) in [("sluice://shop/entity/Item", "\"rows\":["), ("sluice://shop/record/milk", "\"title\":\"milk\""), ("sluice://shop/record/m%69lk", "milk")] {
            let contents = try #require(try fixture.result("resources/read", ["uri": uri])["contents"] as? [[String: Any]])
            #expect(contents[0]["uri"] as? String == uri && (contents[0]["text"] as? String)?.contains(part) == true, "\(uri)")
        }
        for uri in ["sluice://shop/entity/Nothing", "sluice://shop/record/nobody", "sluice://other/entity/Item", "sluice://shop/record/%zz", "sluice://shop/entity/"] {
            #expect(try fixture.errorCode("resources/read", ["uri": uri]) == -32_002, "\(uri)")
        }
        #expect(Resources.encoded("a b/ü") == "a%20b%2F%C3%BC" && Resources.decoded("a%20b%2F%C3%BC") == "a b/ü")
    }
}
