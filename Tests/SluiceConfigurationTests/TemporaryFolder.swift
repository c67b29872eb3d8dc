import Foundation

/// A folder that goes away with the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        // Resolved, because faults show resolved paths.
        let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = root.appending(path: "sluice-configuration-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and gives its path.
    @discardableResult func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try write(name, Data(text.utf8), mode: mode)
    }

    @discardableResult func write(_ name: String, _ data: Data, mode: Int = 0o600) throws -> String {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }
}

/// The samples in `Config/`, beside this test's package.
func sample(_ name: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: "Config").appending(path: name), encoding: .utf8)
}
