import Foundation
import Glibc
import SluiceFailpoints

/// Steps on directories, each of which either happened or throws.
enum Folder {
    /// Makes the directory, its parents too, for this user only.
    static func make(_ path: String) throws(ImportError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file(operation: "make the directory", path: path, code: errno)
        }
        guard chmod(path, 0o700) == 0 else { throw .file(operation: "close it to others", path: path, code: errno) }
    }

    /// The names inside, sorted; empty where the directory does not exist.
    static func names(in path: String) throws(ImportError) -> [String] {
        guard let status = try FileStatus(ofPath: path), status.kind == .directory else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .file(operation: "list it", path: path, code: errno)
        }
    }

    static func remove(_ path: String) throws(ImportError) {
        guard try FileStatus(ofPath: path) != nil else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw .file(operation: "remove it", path: path, code: errno)
        }
    }

    /// Gives a finished thing its final name; the name is on the disk when this returns.
    static func rename(_ path: String, to final: String) throws(ImportError) {
        Failpoint.pass(.renaming)
        guard Glibc.rename(path, final) == 0 else { throw .file(operation: "rename it", path: path, code: errno) }
        Failpoint.pass(.renamed)
        try synchronize((final as NSString).deletingLastPathComponent)
    }

    /// Writes the directory's entries to disk.
    static func synchronize(_ path: String) throws(ImportError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(operation: "open the directory", path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(operation: "write the directory to disk", path: path, code: errno) }
    }
}
