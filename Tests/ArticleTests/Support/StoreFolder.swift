import Foundation
import SwiftData

/// A folder for the stores of one test; it goes with the value.
final class StoreFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed lies in the system's temporary folder.
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String = "Test") -> URL { url.appending(path: "\(name).store", directoryHint: .notDirectory) }

    func configuration(_ name: String = "Test", allowsSave: Bool = true) -> ModelConfiguration {
        ModelConfiguration(url: file(name), allowsSave: allowsSave)
    }

    /// Digests of what the folder's stores hold. A child process reads them: a descriptor of a store's file that this process closed would
    /// drop SQLite's locks. The `-shm` files are left out: they are an index of the log in shared memory, remade by whoever opens the store
    /// first.
    func digests() throws -> [String] {
        try ChildProcess.run("find", [url.path, "-type", "f", "!", "-name", "*-shm", "-exec", "sha256sum", "{}", "+"])
            .output.split(separator: "\n").map(String.init).sorted()
    }

    /// Copies a store as it lies there, with the log of whoever has it open and the large values beside it.
    func copy(_ name: String, to other: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file(name).path + suffix) {
            _ = try ChildProcess.run("cp", [file(name).path + suffix, file(other).path + suffix])
        }
        let large = url.appending(path: ".\(name)_SUPPORT").path
        if FileManager.default.fileExists(atPath: large) {
            _ = try ChildProcess.run("cp", ["-r", large, url.appending(path: ".\(other)_SUPPORT").path])
        }
    }
}
