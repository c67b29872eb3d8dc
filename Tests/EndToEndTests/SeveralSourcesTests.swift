import Foundation
import SluiceCoordinator
import SluiceFailpoints
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

/// A Core Data store, an export and a store of ours as the sources of one account, taken in by a real coordinator that is killed on the way.
/// There is no service: an import needs none.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SeveralSourcesTests {
    /// 12 items and 2 lists in Core Data's layout, 3 items in an export, 2 items in a store of ours.
    private static func prepare(_ installation: Installation) throws -> [String] {
        let core = try installation.makeLegacyStore(items: 12)
        let other = installation.path("other.store")
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        do {
            let connection = try Connection(path: other, mode: .create)
            try connection.execute(String(contentsOf: root.appending(path: "Config/legacy/shopping.sql"), encoding: .utf8))
            // Another store has other records.
            try connection.execute(
                """
                DELETE FROM ZSHOPPINGITEM WHERE Z_PK > 3; DELETE FROM ZSHOPPINGLIST; UPDATE ZSHOPPINGITEM SET ZLIST = NULL, ZID = randomblob(16);
                UPDATE Z_METADATA SET Z_UUID = '77777777-7A0E-4C55-8F5E-3C2A9E7D1B60'
                """)
        }
        let export = installation.path("legacy/export.jsonl")
        try installation.expectSuccess("sluice", ["import", "--to-json", "--jsonl", "-o", export, other])
        let ours = installation.path("legacy/Ours.store")
        let types: [(String, AttributeType)] = [
            ("id", .uuid), ("name", .string), ("quantity", .int64), ("isChecked", .boolean), ("createdAt", .date),
        ]
        let schema = try Schema(name: "shopping", validating: [Entity("ShoppingItem", attributes: types.map { Attribute($0.0, $0.1) }, identity: ["id"])])
        let store = try Store(path: ours, schema: schema, options: Store.Options(zone: "shopping"))
        try store.write {
            for index in 0..<2 {
                let values: [String: PropertyValue] = [
                    "id": .uuid(UUID()), "name": .string("ours \(index)"), "quantity": .integer(1), "isChecked": .boolean(false),
                    "createdAt": .date(Date(timeIntervalSinceReferenceDate: 0)),
                ]
                _ = try store.put("ShoppingItem", RowEdit(attributes: values))
            }
        }
        try installation.writeLegacyAccount("a", importing: core)
        try installation.editAccount("a") { text in
            text.replacing("    - path: \(core)", with: [core, export, ours].map { "    - path: \($0)" }.joined(separator: "\n"))
        }
        return [core, export, ours]
    }

    private static let expected = [14, 3, 2]

    /// Runs the coordinator until every source is imported, or it is gone.
    private static func run(
        _ installation: Installation, _ environment: [String: String], killedAfter delay: Duration? = nil, endingWith signal: Int32 = SIGKILL
    ) async throws -> Bool {
        let program = try Program("sluiced", ["--config", installation.path("config"), "--account", "a"], environment: environment)
        if let delay {
            // The delay is the test: a kill at a moment that nobody chose.
            try await Task.sleep(for: delay)
        } else {
            _ = try await eventually(within: .seconds(60)) {
                guard program.isRunning else { return true }
                return try isDone(installation)
            }
        }
        let isAlive = program.isRunning
        program.signal(signal)
        try await program.waitForEnd()
        return isAlive
    }

    private static func isDone(_ installation: Installation) throws -> Bool {
        guard let status = try installation.status("a") else { return false }
        return status.legacy.count == 3 && status.legacy.allSatisfy { $0.state == "imported" } && status.state != "importing"
    }

    /// What the synced store holds, whatever the rows' numbers are.
    private static func contents(_ installation: Installation) throws -> [String] {
        let path = installation.path("state/a/Private.store")
        let schema = try #require(try Store.schema(at: path))
        var options = Store.Options(zone: "shopping")
        options.owner = "account a"
        let store = try Store(path: path, schema: schema, options: options)
        #expect(try store.connection.integrityFaults().isEmpty)
        var rows: [String] = []
        for entity in store.layout.sortedEntities {
            try store.forEachRow(of: entity) { row in
                let values = row.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                rows.append("\(row.entity) \(row.name) \(values) \(row.references.sorted { $0.key < $1.key })")
            }
        }
        return rows.sorted()
    }

    /// Ends what the last run began, and looks at the whole.
    private static func expectWhole(_ installation: Installation, _ reference: [String], _ moment: String) async throws {
        #expect(try await run(installation, [:], endingWith: SIGTERM), "\(moment)")
        let status = try contents(installation)
        #expect(status == reference, "\(moment)")
        try installation.expectNoTemporaryFiles()
        for place in ["state", "groups"] { try FileManager.default.removeItem(atPath: installation.path(place)) }
    }

    @Test func `killed at any failpoint or moment, each source comes once and whole, and the sources stay as they are`() async throws {
        try await Installation.with { installation in
            let sources = try Self.prepare(installation)
            let listing = try Installation.listing(installation.path("legacy"))
            let began = ContinuousClock.now
            #expect(try await Self.run(installation, [:], endingWith: SIGTERM))
            let duration = ContinuousClock.now - began
            let reference = try Self.contents(installation)
            #expect(reference.count { $0.hasPrefix("ShoppingItem ") } == 17 && reference.count { $0.hasPrefix("ShoppingList ") } == 2)
            #expect(sources.count == Self.expected.count)
            for place in ["state", "groups"] { try FileManager.default.removeItem(atPath: installation.path(place)) }
            for point in [Failpoint.renaming, .renamed, .committing, .committed] {
                var (hit, step, deaths) = (1, 1, 0)
                while true {
                    let isAlive = try await Self.run(installation, ["SLUICE_FAILPOINT": "\(point.rawValue):\(hit)"])
                    guard !isAlive else { break }
                    deaths += 1
                    try await Self.expectWhole(installation, reference, "\(point.rawValue) \(hit)")
                    // Commits are many and alike: the first ones, then fewer and fewer.
                    if point == .committing || point == .committed, hit >= 3 { step += 2 }
                    hit += step
                }
                #expect(deaths >= 4, "\(point.rawValue)")
                for place in ["state", "groups"] { try FileManager.default.removeItem(atPath: installation.path(place)) }
            }
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<5 {
                let delay = duration * Double.random(in: 0..<1, using: &generator)
                _ = try await Self.run(installation, [:], killedAfter: delay)
                try await Self.expectWhole(installation, reference, "after \(delay)")
            }
            #expect(try Installation.listing(installation.path("legacy")) == listing)
        }
    }

    @Test func `a source that appears while the coordinator runs is taken in by a reload, and a broken one is shown and stops none`() async throws {
        try await Installation.with { installation in
            let sources = try Self.prepare(installation)
            try FileManager.default.moveItem(atPath: sources[1], toPath: installation.path("away.jsonl"))
            try Data("no store".utf8).write(to: URL(filePath: sources[2]))
            try await installation.startService()
            try installation.editAccount("a") { $0.replacing("https://127.0.0.1:0", with: "https://127.0.0.1:\(installation.port)") }
            try await installation.startCoordinator()
            let first = try await installation.settle("a")
            #expect(first.legacy.map(\.state) == ["imported", "missing", "failed"])
            #expect(first.entities["ShoppingItem"] == 12)
            try FileManager.default.moveItem(atPath: installation.path("away.jsonl"), toPath: sources[1])
            // A reload opens an account anew where its file says something else.
            try installation.editAccount("a") { $0 + "\n# again\n" }
            installation.reload()
            let isThere = try await eventually(within: .seconds(60)) {
                try installation.status("a")?.legacy.map(\.state) == ["imported", "imported", "failed"]
            }
            #expect(isThere)
            #expect(try await installation.settle("a").entities["ShoppingItem"] == 15)
        }
    }

    @Test func `a mapping in the account file takes a store in under the account's own names, and a wrong one is told by the check`() async throws {
        try await Installation.with { installation in
            let source = try installation.makeLegacyStore(items: 12)
            let mapping = installation.path("config/mapping.yaml")
            let rules = """
                mapping:
                  ShoppingItem:
                    name: Item
                    properties:
                      name: title
                      quantity: count
                      isChecked: {omit: not asked for}
                      createdAt: {omit: not asked for}
                      id: {omit: the record name says it}
                  ShoppingList:
                    name: List
                """
            try Data(rules.utf8).write(to: URL(filePath: mapping))
            try await installation.startService()
            try installation.writeAccount("a", legacy: source)
            try installation.editAccount("a") { $0.replacing("    - path: \(source)", with: "    - path: \(source)\n      mapping: ../mapping.yaml") }
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            #expect(status.legacy.map(\.state) == ["imported"], "\(status.legacy)")
            #expect(status.entities == ["Item": 12, "List": 2])
            #expect(status.legacy.first?.reason == nil)
            let rows = try installation.sluice(["query", "Item", "--account", "a"])
            #expect(rows.output.contains("Crème fraîche"))
            let report = try String(contentsOfFile: #require(status.legacy.first?.report), encoding: .utf8)
            #expect(report.contains("the record name says it"))

            try Data(rules.replacing("name: Item", with: "name: Itme").utf8).write(to: URL(filePath: mapping))
            let check = try Program.run("sluice", ["config", "check", installation.path("config")])
            #expect(check.code == 78 && (check.output + check.errors).contains("mapping.yaml:3:11: found entity `Itme`"))
        }
    }
}
