import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@Suite(.timeLimit(.minutes(10))) final class BackupCommandTests {
    private let sluice: BuiltProgram
    private let folder = "/var/tmp/sluice-backup-\(UUID().uuidString)"
    private var path: String { "\(folder)/Notes.store" }

    init() throws {
        sluice = try BuiltProgram("sluice")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try put("first")
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("could not remove \(folder): \(error)") }
    }

    private func put(_ name: String) throws {
        let schema = try Schema(name: "notes", validating: [Entity("Note", attributes: [Attribute("text", .string)])])
        let store = try Store(path: path, schema: schema, options: .init(zone: "notes"))
        _ = try store.write { try store.put("Note", name: .text(name), .init(attributes: ["text": .string(name)])) }
    }

    private func count() throws -> Int { Int(try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM Note")) }

    private func line(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `a store that is in use is copied, and the copies are listed with what tells them apart`() throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("BEGIN; SELECT count(*) FROM Note")
        let made = try sluice.run(["backup", path])
        #expect(made.code == 0 && made.output.hasPrefix("\(path).backups/manual-") && made.errors.isEmpty)
        let listed = try sluice.run(["backup", "list", path, "--json", "--counts"])
        let backup = try line(listed.output)
        #expect(listed.code == 0)
        #expect(backup["schema"] as? String == "1.0.0" && backup["kind"] as? String == "manual" && backup["fault"] == nil)
        #expect(backup["rows"] as? [String: Int] == ["Note": 1])
        #expect(try sluice.run(["backup", "list", path]).output.contains(" sound"))
        try Data("rubbish".utf8).write(to: URL(filePath: made.output.trimmingCharacters(in: .newlines)))
        #expect(try sluice.run(["backup", "list", path]).code == 65)
    }

    @Test func `the fourth copy takes the place of the first, and that is said`() throws {
        let names = try (0..<4).map { _ in
            URL(filePath: try sluice.run(["backup", path]).output).deletingLastPathComponent().lastPathComponent
        }
        #expect(Set(names).count == 4)
        let listed = try sluice.run(["backup", "list", path]).output
        #expect(!listed.contains("\(names[0]) ") && names.dropFirst().allSatisfy { listed.contains("\($0) ") })
        #expect(try sluice.run(["backup", path]).errors == "removed the older backup \(names[1])\n")
    }

    @Test func `a backup is put in the store's place by its name, and the former contents are where the command says`() throws {
        try sluice.run(["backup", path])
        let name = try #require(try StoreBackup.all(of: path).first?.name)
        try put("second")
        let restored = try sluice.run(["restore", name, path, "--yes", "--json"])
        #expect(restored.code == 0, "\(restored)")
        #expect(try count() == 1)
        let kept = try #require(try line(restored.output)["kept"] as? String)
        let undone = try sluice.run(["restore", kept, path, "--yes"])
        #expect(undone.code == 0 && undone.output.contains("is kept at \(path).backups/before-restore-"))
        #expect(try count() == 2)
    }

    @Test func `a restore that cannot be is none, and its exit code says why`() throws {
        try sluice.run(["backup", path])
        let backup = try #require(try StoreBackup.all(of: path).first)
        try put("second")
        // Nobody can be asked: the input is no terminal.
        #expect(try sluice.run(["restore", backup.name, path]).code == 64)
        #expect(try sluice.run(["restore", "manual-19700101T000000Z", path, "--yes"]).code == 66)
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            _ = try connection.integer("SELECT count(*) FROM Note")
            let refused = try sluice.run(["restore", backup.name, path, "--yes"])
            #expect(refused.code == 75 && refused.errors.contains("Close every program"))
        }
        try Data("rubbish".utf8).write(to: URL(filePath: backup.path))
        #expect(try sluice.run(["restore", backup.name, path, "--yes"]).code == 65)
        #expect(try count() == 2)
    }
}
