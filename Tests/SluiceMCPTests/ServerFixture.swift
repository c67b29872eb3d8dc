import Foundation
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup
@testable import SluiceMCP

/// A container of items and photographs, and a server that shows it.
final class ServerFixture {
    let folder: URL
    let store: Store
    let writer: LocalStoreWriter
    private(set) var server: Server

    static let schema: [Entity] = [
        Entity(
            "Item",
            attributes: [
                Attribute("title", .string), Attribute("price", .double, isOptional: true), Attribute("isDone", .boolean),
                Attribute("photo", .data, isOptional: true),
            ], relationships: [Relationship("list", to: "List", inverse: "items")]),
        Entity(
            "List", attributes: [Attribute("name", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list")]),
    ]

    /// - Parameter isFilled: whether there is a store yet.
    init(isFilled: Bool = true, rowsMax: Int = 500) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = try Schema(name: "shop", validating: Self.schema)
        store = try Store(path: folder.appending(path: "Private.store").path, schema: schema, options: Store.Options(zone: "shop"))
        writer = try LocalStoreWriter(
            group: GroupDirectory(preparing: folder.appending(path: "groups/shop").path, unixGroup: nil),
            projections: Projection.everything(in: schema), privateStoreSchema: schema)
        let container = try GroupContainer.open("shop", groupsDirectory: folder.appending(path: "groups").path, environment: [:])
        server = Server(Library(container: container, name: "shop", staleAfter: .seconds(3_600), rowsMax: rowsMax))
        if isFilled { try fill() }
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    func fill() throws {
        try store.write {
            try store.put("List", name: .text("food"), RowEdit(attributes: ["name": .string("food")]))
            for (title, price, isDone) in [("milk", 1.5, false), ("bread", 3.25, true), ("\"soap\"\n", Double.nan, false)] {
                let edit = RowEdit(
                    attributes: ["title": .string(title), "price": .double(price), "isDone": .boolean(isDone), "photo": .data(Data([1, 2, 3]))],
                    references: ["list": .text("food")])
                try store.put("Item", name: .text(title.filter(\.isLetter)), edit)
            }
        }
        try writer.update(from: store, lastSync: Date(timeIntervalSince1970: 1_771_416_482))
    }

    /// What the server answers to a line; nil where it says nothing.
    func reply(to line: String) throws -> Any? {
        guard let bytes = server.reply(to: .text(Data(line.utf8))) else { return nil }
        #expect(!bytes.contains(0x0A))
        return try JSONSerialization.jsonObject(with: bytes)
    }

    func initialize(_ version: String = "2025-06-18") throws {
        let reply = try reply(
            to: #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#)
        #expect(((reply as? [String: Any])?["result"] as? [String: Any])?["protocolVersion"] as? String == version)
        #expect(try self.reply(to: #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
    }

    private func request(_ method: String, _ parameters: [String: Any]) throws -> [String: Any] {
        let message: [String: Any] = ["jsonrpc": "2.0", "id": 7, "method": method, "params": parameters]
        let line = String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
        let reply = try #require(try reply(to: line) as? [String: Any])
        #expect(reply["jsonrpc"] as? String == "2.0" && reply["id"] as? Int == 7)
        return reply
    }

    /// - Throws: where the answer is an error.
    func result(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try #require(try request(method, parameters)["result"] as? [String: Any], "\(method)")
    }

    func errorCode(_ method: String, _ parameters: [String: Any] = [:]) throws -> Int? {
        (try request(method, parameters)["error"] as? [String: Any])?["code"] as? Int
    }

    /// What a tool says, and whether that is why it cannot.
    func call(_ tool: String, _ arguments: [String: Any] = [:]) throws -> (text: String, isError: Bool) {
        let result = try result("tools/call", ["name": tool, "arguments": arguments])
        let content = try #require(result["content"] as? [[String: Any]])
        #expect(content.count == 1 && content[0]["type"] as? String == "text")
        return (try #require(content[0]["text"] as? String), try #require(result["isError"] as? Bool))
    }

    /// A tool's answer as an object.
    func answer(_ tool: String, _ arguments: [String: Any] = [:]) throws -> [String: Any] {
        let (text, isError) = try call(tool, arguments)
        #expect(!isError, "\(text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}
