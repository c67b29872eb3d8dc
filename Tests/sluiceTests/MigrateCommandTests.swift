import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@Suite(.timeLimit(.minutes(10))) final class MigrateCommandTests {
    private let sluice: BuiltProgram
    private let folder = "/var/tmp/sluice-migrate-\(UUID().uuidString)"
    private var path: String { "\(folder)/state/Private.store" }

    private static let one = """
        version: 1.0.0
        entities:
          Note:
            attributes: {text: string, folder: string?}
        """
    private static let two = """
        version: 2.0.0
        entities:
          Note:
            attributes: {text: string, folder: string?, length: int64?, pinned: {type: boolean, default: false}}
        migration:
          after:
            - entity: Note
              set: {length: length(text)}
        """

    init() throws {
        sluice = try BuiltProgram("sluice")
        for name in ["accounts.d", "schemas/notes", "state"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try write("accounts.d/a.yaml", account("{path: ../schemas/notes}"))
        try write("schemas/notes/1.0.0.yaml", Self.one)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("could not remove \(folder): \(error)") }
    }

    private func account(_ schema: String) -> String {
        """
        service: {url: "https://127.0.0.1:9", container: iCloud.test}
        schema: \(schema)
        synced: {stateDirectory: \(folder)/state}
        local: {group: notes, groupsDirectory: \(folder)/groups}
        """
    }

    private func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }

    /// A store of the first version.
    private func fill() throws {
        var options = Store.Options(zone: "notes")
        options.owner = "account a"
        let entity = Entity("Note", attributes: [Attribute("text", .string), Attribute("folder", .string, isOptional: true)])
        let store = try Store(path: path, schema: Schema(name: "notes", validating: [entity]), options: options)
        try store.write {
            for text in ["secret one", "secret two", "secret one"] { _ = try store.put("Note", RowEdit(attributes: ["text": .string(text)])) }
        }
        _ = try store.connection.checkpoint()
    }

    private func run(_ arguments: String...) throws -> BuiltProgram.Outcome { try sluice.run(["migrate", "--config", folder] + arguments) }

    private func listing() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/state").sorted().filter { !$0.hasSuffix("-shm") }.map {
            "\($0) \(try Data(contentsOf: URL(filePath: "\(folder)/state/\($0)")).hashValue)"
        }
    }

    @Test func `a plan says what would change, what it costs and that a backup is taken, and changes nothing`() throws {
        try fill()
        try write("schemas/notes/2.0.0.yaml", Self.two)
        let before = try listing()
        let plan = try run("--plan")
        #expect(plan.code == 0, "\(plan.errors)")
        #expect(plan.output.contains("from version 1.0.0 to 2.0.0, in one stage"))
        #expect(plan.output.contains("Note: adds attribute length") && plan.output.contains("after: Note: sets length"))
        #expect(plan.output.contains("backed up first"))
        let outline = try JSONDecoder().decode(UpgradeOutline.self, from: Data(run("--plan", "--json").output.utf8))
        #expect(outline.stages.map(\.hasCode) == [true] && outline.takesBackup)
        #expect(try listing() == before)
    }

    @Test func `a rehearsal migrates a copy in full and leaves the store, and nothing beside it`() throws {
        try fill()
        try write("schemas/notes/2.0.0.yaml", Self.two)
        try FileManager.default.createDirectory(atPath: "\(folder)/state/.Private.store.rehearsal-999999", withIntermediateDirectories: true)
        let rehearsal = try run("--dry-run")
        #expect(rehearsal.code == 0, "\(rehearsal.errors)")
        #expect(rehearsal.output.hasPrefix("a copy was migrated to version 2.0.0 in "))
        #expect(rehearsal.errors.contains("stage 1 of 1 took") && rehearsal.errors.contains("3 changes by its code"))
        #expect(try Store.schema(at: path)?.version == SchemaVersion(1, 0, 0))
        #expect(try listing().allSatisfy { !$0.hasPrefix(".Private.store.rehearsal") && !$0.hasPrefix("Private.store.backups") })
    }

    @Test func `what the rows forbid is found by a rehearsal, and told to a log without their values`() throws {
        try fill()
        try write("schemas/notes/2.0.0.yaml", Self.one.replacing("1.0.0", with: "2.0.0").replacing("text: string,", with: "text: {type: string, unique: true},"))
        #expect(try run("--plan").code == 0)
        let refused = try run("--dry-run")
        #expect(refused.code == 65 && refused.errors.contains("text of Note is to be unique, and 2 records share values"), "\(refused)")
        #expect(!refused.errors.contains("secret"))
        #expect(try listing().allSatisfy { !$0.hasPrefix(".Private.store.rehearsal") })
    }

    @Test func `a store that has the shape needs nothing, and an account without one has nothing to migrate`() throws {
        #expect(try run("--plan").code == 66)
        try fill()
        let outcome = try run("--dry-run")
        #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.errors.contains("nothing to do"))
    }

    @Test func `it is said that the migration is somebody else's`() throws {
        #expect(try run().code == 64)
        #expect(try run("--plan", "--dry-run").code == 64)
        try write("accounts.d/a.yaml", account("{compiled: true}"))
        let compiled = try run("--plan")
        #expect(compiled.code == 78 && compiled.errors.contains("compiled into a program"))
    }
}
