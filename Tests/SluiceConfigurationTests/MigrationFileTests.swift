import Foundation
import SluiceSchema
import Testing

@testable import SluiceConfiguration

@Suite struct MigrationFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("shop/1.0.0.yaml", "entities:\n  Item:\n    attributes:\n      name: string\n      count: int64\n")
    }

    /// The second version of the schema above, with one more attribute and what is given.
    private func second(_ migration: String) throws -> String {
        try folder.write(
            "shop/2.0.0.yaml",
            "entities:\n  Item:\n    attributes:\n      name: string\n      count: int64\n      note: string?\n" + migration)
    }

    private func faults() -> [String] {
        do throws(ConfigurationError) { _ = try SchemaFile.loadVersions(folder.path + "/shop") } catch {
            return error.faults.map { $0.description.replacing(folder.path + "/shop/", with: "") }
        }
        return []
    }

    @Test func `the sample's versions lead from one to the next`() throws {
        for version in ["1.0.0", "2.0.0", "3.0.0"] { try folder.write("tasks/\(version).yaml", sample("schemas/tasks/\(version).yaml")) }
        let releases = try SchemaFile.loadVersions(folder.path + "/tasks")
        #expect(releases.map(\.schema.version.major) == [1, 2, 3])
        #expect(releases[0].stage == nil)
        let stage = try #require(releases[1].stage)
        #expect(stage.discarded == ["Task.colour"])
        #expect(stage.before == [StageEdit("Task", where: "trim(title) = '' AND NOT done", .delete)])
        #expect(stage.after.count == 3)
        #expect(stage.after[0].action == .set([.init("rank", "CASE priority WHEN 'high' THEN 1 WHEN 'low' THEN 9 ELSE 5 END")]))
    }

    @Test func `a stage survives being written and read`() throws {
        let stage = StageScript(
            discarded: ["Item.old", "Gone"],
            before: [StageEdit("Item", where: "name LIKE '%: #\"%' -- {odd}\n OR 1", .delete), StageEdit("Item", .delete)],
            after: [
                StageEdit("Item", .set([.init("name", "'é' || \"count\""), .init("count", "- 1")])),
                StageEdit("Item", where: "NULL", .set([.init("note", "NULL")])),
            ])
        let schema = try Schema(
            name: "shop", version: SchemaVersion(2, 0, 0), validating: [Entity("Item", attributes: [Attribute("name", .string)])])
        for release in [
            SchemaRelease(schema, stage: stage), SchemaRelease(schema, stage: StageScript(discarded: ["Gone"])), SchemaRelease(schema),
        ] {
            #expect(try SchemaFile.read(folder.write("x.yaml", SchemaFile.yaml(for: release))).release == release)
        }
    }

    @Test func `every fault of an expression has the place of the expression`() throws {
        _ = try second(
            """
            migration:
              before:
                - entity: Itm
                  delete: true
                - entity: Item
                  where: coutn < 0
                  delete: true
              after:
                - entity: Item
                  where: count(*) > 1
                  set:
                    nmae: "'x'"
                    note: name || 'x'; DELETE FROM Item
                    count: random()
            """)
        let expression = "expected an SQL expression over one row of Item"
        #expect(
            faults() == [
                "2.0.0.yaml:9:15: found entity `Itm`; expected one of shop 1.0.0. Did you mean `Item`?",
                "2.0.0.yaml:12:14: found column `coutn`, which there is not; \(expression). Did you mean `count`?",
                "2.0.0.yaml:16:14: found what SQLite does not take (misuse of aggregate function count()); \(expression)",
                "2.0.0.yaml:18:9: found property `nmae`; expected one of entity Item. Did you mean `name`?",
                "2.0.0.yaml:19:15: found a semicolon; \(expression)",
                "2.0.0.yaml:20:16: found function random(); expected functions that every SQLite has and that give the same on every device",
            ])
    }

    @Test func `a migration that is written wrongly is refused where it is`() throws {
        let file = try second(
            """
            migration:
              discrad: [Item.x]
              discard: [Item.a, Item.a, {}]
              before: {}
              after:
                - entity: Item
                - entity: Item
                  delete: yes
                - entity: Item
                  delete: true
                  set: {note: name}
                - set: {note: name, note: name}
                - entity: Item
                  set: {note: }
                - entity: Item
                  when: true
                  set: [note]
                - 5
            """)
        let error = #expect(throws: ConfigurationError.self) { try SchemaFile.read(file) }
        #expect(
            error?.faults.map { "\($0.line):\($0.column) \($0.found)\($0.suggestion.map { " → \($0)" } ?? "")" } == [
                "8:3 unknown key `discrad` → discard", "9:21 `Item.a` again", "9:29 a mapping of 0", "10:11 a mapping of 0",
                "12:7 no `set` in `after`", "14:15 `yes`", "16:15 `delete` beside `set`", "18:7 no `entity` in `after`",
                "18:25 key `note` again (first on line 18)", "20:19 nothing", "22:7 unknown key `when`", "23:12 a list of 1", "24:7 `5`",
            ])
    }

    @Test func `steps that a store cannot take are faults of the file that should say so`() throws {
        try folder.write(
            "shop/2.0.0.yaml",
            "entities:\n  Item:\n    attributes:\n      title: string\n      count: int16\n      rank: int32\n  Box: {}\n")
        #expect(
            Set(faults()) == [
                "2.0.0.yaml:6:7: found Item.rank (int32) is required and has no default; "
                    + "expected `default:` or a type with `?` at rank, or an edit in `migration.after` that sets Item.rank",
                "2.0.0.yaml:5:7: found Item.count changes from int64 to int16, which not every value survives; "
                    + "expected the old type and a new property beside it, or an edit in `migration` that sets Item.count",
                "2.0.0.yaml:4:7: found Item.name (string) goes while title of the same shape comes; "
                    + "expected `wireName: name` at title to keep the values, or `discard: [Item.name]` in `migration`",
            ])
    }

    @Test func `identities of an account file hold in every version`() throws {
        func faults(_ identity: String) throws -> [String] {
            let account = try folder.write(
                "accounts.d/a.yaml",
                """
                service: {url: "https://example.org", container: c}
                schema: {path: ../shop}
                synced: {entities: {Item: {identity: [\(identity)]}}}
                local: {group: shop}
                """)
            do throws(ConfigurationError) {
                _ = try AccountConfiguration.load(account, ConfigurationEnvironment(variables: ["HOME": "/home/ann"]))
            } catch { return error.faults.map { "\($0.line):\($0.column) \($0.found)" } }
            return []
        }
        _ = try second("migration:\n  after:\n    - {entity: Item, set: {count: count + 1}}\n")
        #expect(try faults("name") == [])
        let edited = try faults("count")
        #expect(edited.count == 1)
        #expect(
            edited.first?.hasPrefix("3:9 identities with which a store does not get to version 2.0.0 (after, edit 1, count: found `count`, of which") == true)
        _ = try folder.write(
            "shop/2.0.0.yaml", "entities:\n  Item:\n    attributes:\n      name: string\n      count: int64\n      code: {type: string, default: x}\n")
        let missing = try faults("code")
        #expect(missing.first?.hasPrefix("3:9 identities that contradict the schema") == true)
    }

    @Test func `two versions of one shape name each other`() throws {
        try folder.write("shop/2.0.0.yaml", "entities:\n  Item:\n    attributes:\n      name: string\n      count: int64\n")
        #expect(
            faults() == [
                "2.0.0.yaml:1:1: found the shape of version 1.0.0 (1.0.0.yaml) again; expected a shape that no other version has: remove one of the two files"
            ])
    }

    @Test func `a migration of the oldest version, and one that does nothing, are refused`() throws {
        _ = try second("")
        try folder.write(
            "shop/1.0.0.yaml",
            "entities:\n  Item:\n    attributes:\n      name: string\n      count: int64\nmigration:\n  discard: [Item.x]\n")
        #expect(faults() == ["1.0.0.yaml:7:3: found a migration to the oldest version; expected a version before it, or no `migration`"])
        let empty = try folder.write("shop/3.0.0.yaml", "entities: {}\nmigration: {}\n")
        #expect(throws: ConfigurationError.self) { try SchemaFile.read(empty) }
        let single = try SchemaFile.loadVersions(folder.path + "/shop/1.0.0.yaml")
        #expect(single.count == 1 && single[0].stage == nil)
    }

    @Test(arguments: [
        "migration: &a\n  discard: *a\n", "migration: [1, 2]\n", "migration: text\n", "migration:\n\tdiscard: []\n",
        "migration:\n  after: [[[]]]\n",
        "migration:\n  after:\n    - {entity: [x], where: {}, set: 5}\n", "migration: !!map {}\n", "migration:\n",
        "migration:\n  before:\n    -\n",
    ])
    func `garbage is refused with its place`(garbage: String) throws {
        let file = try second(garbage)
        let error = #expect(throws: ConfigurationError.self) { try SchemaFile.read(file) }
        #expect(error?.faults.allSatisfy { $0.line > 1 } == true)
    }

    @Test func `a file of very many edits is read, and one beyond all bounds is refused`() throws {
        let edits = (0..<2_000).map { "    - {entity: Item, where: count = \($0), set: {note: name}}\n" }.joined()
        #expect(try SchemaFile.read(second("migration:\n  after:\n" + edits)).release.stage?.after.count == 2_000)
        let many = (0..<10_000).map { "    - {entity: Item, where: count = \($0), set: {note: name}}\n" }.joined()
        let file = try second("migration:\n  after:\n" + many)
        #expect(throws: ConfigurationError.self) { try SchemaFile.read(file) }
    }
}
