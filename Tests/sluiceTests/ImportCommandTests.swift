import Foundation
import SluiceConfiguration
import SluiceSchema
import SluiceSQLite
import Testing

/// `sluice import` as it is run, on the sample legacy store.
@Suite struct ImportCommandTests {
    private let sluice: BuiltProgram
    private let folder: URL
    private let samples: URL
    private var store: String { folder.appending(path: "shopping.store").path }

    init() throws {
        sluice = try BuiltProgram("sluice")
        samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Config/legacy")
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "sluice-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let connection = try Connection(path: store, mode: .create)
        try connection.execute(String(contentsOf: samples.appending(path: "shopping.sql"), encoding: .utf8))
    }

    private func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    @Test func `--inspect prints a schema file and the report, and --schema-out writes the one and prints the other`() throws {
        defer { cleanUp() }
        let outcome = try sluice.run(["import", "--inspect", store])
        #expect(outcome.code == 0)
        #expect(outcome.output.hasPrefix("schema: shopping\n"))
        #expect(outcome.errors.contains("ShoppingItem  6\n") && outcome.errors.contains("Nothing is lost."))
        let written = try sluice.run(["import", "--inspect", "--schema-out", path("1.0.0.yaml"), "--schema-name", "mine", store])
        #expect(written.code == 0 && written.errors.isEmpty)
        #expect(written.output.contains("6 objects") || written.output.contains("8 objects"))
        let schema = try SchemaFile.load(path("1.0.0.yaml"))
        #expect(schema.name == "mine" && schema.entities.map(\.name) == ["ShoppingItem", "ShoppingList"])
        #expect(try sluice.run(["import", "--inspect", "--schema-out", path("1.0.0.yaml"), store]).code == 73)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["1.0.0.yaml", "shopping.store"])
    }

    @Test func `an export is whole in both forms, is a source again, and never takes the place of a file`() throws {
        defer { cleanUp() }
        let lines = try sluice.run(["import", "--to-json", "--jsonl", store])
        #expect(lines.code == 0 && lines.errors.isEmpty)
        #expect(lines.output.split(separator: "\n").count == 10)
        #expect(lines.output.hasSuffix("{\"counts\":{\"rows\":8,\"links\":0}}\n"))
        #expect(try sluice.run(["import", "--to-json", "-o", path("export.json"), store]).code == 0)
        #expect(try sluice.run(["import", "--to-json", "-o", path("export.json"), store]).code == 73)
        #expect(try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "export.json"))) is [String: Any])
        #expect(try sluice.run(["import", "--to-json", "--jsonl", path("export.json")]).output == lines.output)
        let inspected = try sluice.run(["import", "--inspect", "--schema-name", "shopping", path("export.json")])
        #expect(inspected.output == (try sluice.run(["import", "--inspect", store]).output))
        try Data(contentsOf: folder.appending(path: "export.json")).dropLast(60).write(to: folder.appending(path: "cut.json"))
        let cut = try sluice.run(["import", "--inspect", path("cut.json")])
        #expect(cut.code == 65 && cut.errors.contains("\(path("cut.json")): line "))
    }

    @Test func `the sample mapping maps the sample store, and a wrong word is told with its place`() throws {
        defer { cleanUp() }
        let mapping = samples.appending(path: "mapping.yaml").path
        let outcome = try sluice.run(["import", "--inspect", "--json", "--mapping", mapping, store])
        #expect(outcome.code == 0)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let omissions = try #require(report["omissions"] as? [[String: Any]])
        #expect(omissions.compactMap { $0["subject"] as? String } == ["ShoppingList", "ShoppingItem.createdAt", "ShoppingItem.list"])
        #expect(omissions.compactMap { $0["valueCount"] as? Int } == [0, 6, 6])
        let text = try sluice.run(["import", "--inspect", "--mapping", mapping, store])
        #expect(text.output.contains("Item:") && text.output.contains("count: double") && !text.output.contains("ShoppingList"))
        try Data("mapping:\n  ShopingItem:\n    name: Item\n".utf8).write(to: folder.appending(path: "m.yaml"))
        let wrong = try sluice.run(["import", "--inspect", "--mapping", path("m.yaml"), store])
        #expect(wrong.code == 78)
        #expect(
            wrong.errors
                == "\(path("m.yaml")):2:3: found entity `ShopingItem`; expected one of the legacy store. Did you mean `ShoppingItem`?\n")
        #expect(try sluice.run(["import", "--inspect", "--mapping", path("none.yaml"), store]).code == 78)
    }

    @Test func `what cannot be read is told with its reason, and wrong options do nothing`() throws {
        defer { cleanUp() }
        #expect(try sluice.run(["import", "--inspect", path("none.store")]).code == 66)
        try Data("hello".utf8).write(to: folder.appending(path: "text.store"))
        let text = try sluice.run(["import", "--inspect", path("text.store")])
        #expect(text.code == 65 && text.errors.contains("text.store"))
        for wrong in [[], ["--inspect", "--to-json"], ["--inspect", "--jsonl"], ["--to-json", "--json"], ["--to-json", "--schema-out", "x"]] {
            #expect(try sluice.run(["import"] + wrong + [store]).code == 64)
        }
        #expect(try sluice.run(["import", store]).errors.contains("--inspect or --to-json"))
    }
}
