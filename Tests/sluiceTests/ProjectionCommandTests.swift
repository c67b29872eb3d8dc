import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProjectionCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-projection-\(UUID().uuidString)")
    private let sluice: BuiltProgram

    init() throws {
        sluice = try BuiltProgram("sluice")
        for (name, text) in [
            (
                "schemas/shop/1.0.0.yaml",
                """
                entities:
                  List: {attributes: {title: string}, relationships: {items: {to: Item, toMany: true, inverse: list}}}
                  Item: {attributes: {name: string, price: double?}, relationships: {list: {to: List, inverse: items}}, index: [price]}
                """
            ),
            (
                "accounts.d/a.yaml",
                """
                service: {url: "https://localhost:1", container: shop}
                schema: {path: ../schemas/shop}
                synced: {stateDirectory: \(folder.path)/state}
                local:
                  - group: shop
                    groupsDirectory: \(folder.path)/groups
                    projections:
                      Item: {where: price > 2, fields: [name, list.title as listTitle], order: [price], limit: 10, freshness: 5m}
                  - group: other
                    groupsDirectory: \(folder.path)/groups
                """
            ),
        ] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
        try sluice.run(["projection"] + arguments + ["--config", folder.path])
    }

    @Test func `without a coordinator the account file is explained, and nothing is made`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try run("explain", "--group", "shop")
        #expect(outcome.code == 0, "\(outcome)")
        for part in [
            "group shop\n", "Item fields [name] derived [listTitle: list.title] where price > 2 order price limit 10", "stale   after 300 s",
            "indices Item$index_price", "List (title) over list", "remembered rows",
        ] {
            #expect(outcome.output.contains(part), "\(part) in \(outcome.output)")
        }
        #expect(outcome.errors.contains("what the account file says"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/state"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/groups"))
        let json = try run("explain", "--json")
        #expect(json.code == 0 && json.output.split(separator: "\n").count == 2)
    }

    @Test func `a group container that the account does not fill, and a coordinator that is not there, have exit codes of their own`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try run("explain", "--group", "none").code == 66)
        #expect(try run("rebuild").code == 69)
    }
}
