import Foundation
import Testing

@testable import SluiceMCP

/// The protocol, as a client meets it.
@Suite struct ServerTests {
    private func code(_ reply: Any?) -> Int? { ((reply as? [String: Any])?["error"] as? [String: Any])?["code"] as? Int }

    @Test(arguments: Server.versions) func `a revision that both know is agreed on`(version: String) throws {
        try ServerFixture().initialize(version)
    }

    @Test func `a revision that nobody knows is answered with the newest`() throws {
        let fixture = try ServerFixture()
        let result = try fixture.result("initialize", ["protocolVersion": "1999-01-01", "capabilities": [:]])
        #expect(result["protocolVersion"] as? String == "2025-06-18")
        let capabilities = try #require(result["capabilities"] as? [String: Any])
        #expect(Set(capabilities.keys) == ["tools", "resources"])
        #expect((result["serverInfo"] as? [String: Any])?["name"] as? String == "sluice-mcp")
        #expect(try fixture.errorCode("initialize", ["protocolVersion": "2025-06-18"]) == -32_600)
    }

    @Test func `before the first word only a ping is answered`() throws {
        let fixture = try ServerFixture()
        #expect(try fixture.result("ping").isEmpty)
        #expect(try fixture.errorCode("tools/list") == -32_600)
        #expect(try fixture.errorCode("initialize", ["protocolVersion": 5]) == -32_602)
        try fixture.initialize()
        #expect(try fixture.result("tools/list")["tools"] is [Any])
    }

    @Test(arguments: [
        ("{", -32_700), ("nonsense", -32_700), ("\u{FEFF}{}", -32_700), (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32_700),
        (String(repeating: "[", count: 5_000), -32_700), ("7", -32_600), ("{}", -32_600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600), (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#, -32_601), (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop_table"}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":[]}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}"#, -32_002),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/read"}"#, -32_602),
    ])
    func `what means nothing is an error with its code, and the next line is answered`(line: String, expected: Int) throws {
        let fixture = try ServerFixture()
        try fixture.initialize()
        #expect(code(try fixture.reply(to: line)) == expected)
        #expect(try fixture.result("ping").isEmpty)
    }

    @Test func `an error names the request it belongs to, by a number or a text`() throws {
        let fixture = try ServerFixture()
        try fixture.initialize()
        let reply = try #require(try fixture.reply(to: #"{"jsonrpc":"2.0","id":"a\"b","method":"nothing"}"#) as? [String: Any])
        #expect(reply["id"] as? String == "a\"b")
        let nameless = try #require(try fixture.reply(to: "{") as? [String: Any])
        #expect(nameless["id"] is NSNull)
        #expect(code(try JSONSerialization.jsonObject(with: #require(withUnsafeReply(.tooLong, fixture)))) == -32_600)
    }

    private func withUnsafeReply(_ line: LineReader.Line, _ fixture: ServerFixture) -> Data? {
        var server = fixture.server
        return server.reply(to: line)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"late"}}"#, #"{"jsonrpc":"2.0","method":"anything"}"#,
        #"{"jsonrpc":"2.0","id":4,"result":{}}"#, #"{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}"#, "", "  \r",
    ])
    func `notifications, answers and empty lines are not answered`(line: String) throws {
        let fixture = try ServerFixture()
        try fixture.initialize()
        #expect(try fixture.reply(to: line) == nil)
    }

    @Test func `a batch is answered as one in the revisions that have it`() throws {
        let fixture = try ServerFixture()
        try fixture.initialize("2025-03-26")
        let line = #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,{"jsonrpc":"2.0","id":2,"method":"no"}]"#
        let replies = try #require(try fixture.reply(to: line) as? [[String: Any]])
        #expect(replies.count == 3 && replies[0]["id"] as? Int == 1 && code(replies[1]) == -32_600 && code(replies[2]) == -32_601)
        #expect(try fixture.reply(to: #"[{"jsonrpc":"2.0","method":"notifications/x"}]"#) == nil)
        #expect(code(try fixture.reply(to: "[]")) == -32_600)
        #expect(code(try fixture.reply(to: "[" + Array(repeating: "7", count: 101).joined(separator: ",") + "]")) == -32_600)
        let newest = try ServerFixture()
        try newest.initialize()
        #expect(code(try newest.reply(to: line)) == -32_600)
    }
}
