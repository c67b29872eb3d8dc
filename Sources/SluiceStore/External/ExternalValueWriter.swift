// Puts external values into their files, before the transaction that refers to them commits:
//
// 1. A file gets its name by rename, when all its bytes are on disk; whoever reads it finds all of them. Then the name is put on disk too.
// 2. A value that is there already is not written again. Its file becomes young, so that it is not collected as garbage before the commit.
// 3. A crash before the commit leaves a file that nothing refers to; `Store.collectExternalValues` removes it.

package import Foundation
import Glibc
import SluiceDigest
import SluiceFailpoints
package import SluiceSchema
package import SluiceSQLite

/// Writes the external values of one store. Used where the store is used.
package final class ExternalValueWriter {
    package let values: ExternalValues
    private let storePath: String
    /// Folders whose own names are known to be on disk.
    private var made: Set<String> = []
    /// Folders in which every name was put on disk at some time.
    private var settled: Set<String> = []
    private lazy var access = ExternalAccess(besideStore: storePath, in: Self.parent(of: values.folder))

    /// - Parameter storePath: the store whose mode and owner the files get.
    package init(_ values: ExternalValues, besideStore storePath: String) {
        self.values = values
        self.storePath = storePath
    }

    /// What stands in the column for a value.
    package static func reference(to value: Data) -> ExternalReference {
        ExternalReference(digest: Digest.sha256(value).hexadecimal, byteCount: value.count)
    }

    /// Puts a value on disk.
    package func write(_ value: Data) throws(ExternalWriteFailure) -> ExternalReference {
        let reference = Self.reference(to: value)
        if try !reuse(reference, value) { try place(value, reference) }
        return reference
    }

    /// Copies a value of another store, unless it is here.
    /// - Returns: what keeps it from being read there; nil where it is here now.
    package func bring(_ reference: ExternalReference, from source: ExternalValues) throws(ExternalWriteFailure) -> ExternalValueFault? {
        let folder = Self.parent(of: values.path(of: reference))
        if values.fault(of: reference) == nil {
            if !settled.contains(folder) { try settle(folder) }
            return nil
        }
        let value: Data
        do { value = try source.read(reference) } catch { return error }
        try place(value, reference)
        return nil
    }

    /// Copies every value that a store file needs, and that can be read at its old place. What is lost there is lost in a copy too.
    package func bringAll(neededBy store: Connection, from source: ExternalValues) throws {
        for reference in try ExternalReferences(connection: store).all() { _ = try bring(reference, from: source) }
    }

    // MARK: Files

    /// Whether the value is there, and stays for now. A file of the right name with other bytes is none.
    private func reuse(_ reference: ExternalReference, _ value: Data) throws(ExternalWriteFailure) -> Bool {
        let path = values.path(of: reference)
        do throws(ExternalValueFault) {
            guard try values.read(reference) == value else { return false }
        } catch { return false }
        // Fails where another user owns the file: then it is as young as it is.
        utimensat(AT_FDCWD, path, nil, 0)
        guard values.fault(of: reference) == nil else { return false }
        try settle(Self.parent(of: path))
        return true
    }

    private func place(_ value: Data, _ reference: ExternalReference) throws(ExternalWriteFailure) {
        let path = values.path(of: reference)
        let folder = Self.parent(of: path)
        try makeFolder(values.folder)
        try makeFolder(folder)
        let partial = "\(folder)/.\(reference.digest).\(UInt64.random(in: .min ... .max))\(ExternalFolder.partialSuffix)"
        do throws(ExternalWriteFailure) {
            try fill(partial, with: value)
            Failpoint.pass(.renaming)
            guard rename(partial, path) == 0 else { throw .last("naming", path) }
            Failpoint.pass(.renamed)
        } catch {
            unlink(partial)
            throw error
        }
        try settle(folder)
    }

    private func fill(_ path: String, with value: Data) throws(ExternalWriteFailure) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("making the file of", path) }
        defer { close(descriptor) }
        guard value.withUnsafeBytes({ Self.write($0, to: descriptor) }) else { throw .last("writing", path) }
        try access.apply(toFile: descriptor, path)
        guard fsync(descriptor) == 0 else { throw .last("putting on disk", path) }
    }

    /// False where a call failed; `errno` says why.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Folders

    private func makeFolder(_ path: String) throws(ExternalWriteFailure) {
        guard !made.contains(path) || Glibc.access(path, F_OK) != 0 else { return }
        if mkdir(path, 0o700) == 0 {
            try access.apply(toFolder: path)
        } else if errno != EEXIST {
            throw .last("making the folder of", path)
        }
        // Whoever made it may have ended before its name was on disk.
        try settle(Self.parent(of: path))
        made.insert(path)
    }

    /// Puts the names in a folder on disk.
    private func settle(_ folder: String) throws(ExternalWriteFailure) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("opening the folder of", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("putting on disk the name of", folder) }
        settled.insert(folder)
    }

    private static func parent(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        if !folder.isEmpty { return String(folder) }
        return path.hasPrefix("/") ? "/" : "."
    }
}
