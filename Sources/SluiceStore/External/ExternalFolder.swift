import Foundation
import Glibc
import SluiceSchema

/// One file in a folder of external values.
package struct ExternalFile: Hashable, Sendable {
    package let path: String
    /// The value's SHA-256; nil for what a crash left of an unfinished one.
    package let digest: String?
}

/// A folder of external values, as a set of files. What somebody else put there is not looked at.
struct ExternalFolder {
    let path: String

    /// Unfinished files are called `.<SHA-256>.<a number>.partial`.
    static let partialSuffix = ".partial"

    /// Every file that was last written before a moment. Empty where there is no folder.
    func files(writtenBefore moment: Date) throws(ExternalWriteFailure) -> [ExternalFile] {
        var files: [ExternalFile] = []
        for name in try Self.names(in: path) where ExternalReference.isFolderName(name) {
            for file in try Self.names(in: "\(path)/\(name)") {
                guard let file = Self.file(file, in: "\(path)/\(name)"), isOld(file, moment) else { continue }
                files.append(file)
            }
        }
        return files
    }

    /// Removes a file, unless it was written after that moment, or is gone already. Returns whether it went.
    func remove(_ file: ExternalFile, writtenBefore moment: Date) throws(ExternalWriteFailure) -> Bool {
        guard isOld(file, moment) else { return false }
        if unlink(file.path) == 0 { return true }
        guard errno == ENOENT else { throw .last("removing", file.path) }
        return false
    }

    private static func file(_ name: String, in folder: String) -> ExternalFile? {
        if ExternalReference.isDigest(name) { return ExternalFile(path: "\(folder)/\(name)", digest: name) }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ExternalReference.isDigest(parts[1]), name.hasSuffix(partialSuffix) else { return nil }
        return ExternalFile(path: "\(folder)/\(name)", digest: nil)
    }

    private func isOld(_ file: ExternalFile, _ moment: Date) -> Bool {
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9 < moment.timeIntervalSince1970
    }

    /// The names inside a directory; none where it does not exist.
    static func names(in path: String) throws(ExternalWriteFailure) -> [String] {
        guard let directory = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw .last("looking for", path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            })
        }
        return names
    }
}
