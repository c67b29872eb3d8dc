import Foundation
import SluiceData
import SluiceEmbedded

/// The synced model, as both programs of the split have it.
@Model
final class Errand {
    @Attribute(.unique) var id: UUID
    var title: String
    var isDone = false

    init(id: UUID = UUID(), title: String) {
        self.id = id
        self.title = title
    }
}

/// An account of this process, in a folder of its own. Nobody answers at its service: what is shown here needs no network.
struct SplitFixture {
    let folder: URL
    let container = "iCloud.test.\(UUID().uuidString)"
    let group = "group-\(UUID().uuidString)"

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-split-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "accounts.d"), withIntermediateDirectories: true)
        let token = folder.appending(path: "token")
        try Data("secret\n".utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        let text = """
            service: {url: "https://127.0.0.1:9", container: \(container), environment: development}
            credentials: {userTokenFile: ../token}
            schema: {compiled: true}
            synced: {stateDirectory: \(folder.path)/state}
            local: {group: \(group), groupsDirectory: \(groups.path)}
            """
        try Data(text.utf8).write(to: folder.appending(path: "accounts.d/errands.yaml"))
    }

    /// Where the group containers of the reading program lie, as `XDG_DATA_HOME` says.
    var groups: URL { folder.appending(path: "data/sluice/groups") }

    func embed(merging rules: [MergeRule] = []) async throws -> EmbeddedCoordinator {
        try await SluiceCoordinator.embed(account: "errands", models: [Errand.self], merging: rules, configurationDirectory: folder.path)
    }

    var synced: ModelConfiguration { ModelConfiguration("Synced", schema: Schema([Errand.self]), cloudKitDatabase: .private(container)) }

    /// Runs the other program and returns what it printed.
    func run(_ arguments: String...) throws -> (lines: [String], status: Int32) {
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "GroupReaderProgram")
        process.arguments = arguments
        process.environment = ["XDG_DATA_HOME": folder.appending(path: "data").path, "HOME": folder.path, "PATH": "/usr/bin:/bin"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text.split(separator: "\n").map(String.init), process.terminationStatus)
    }

    func remove() {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }
}
