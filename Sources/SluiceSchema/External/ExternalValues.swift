// Values that are too large for a row lie beside the store, for `Notes.store` in `.Notes_SUPPORT/<first two digits>/<SHA-256>`. Here is
// where they are and how they are read, with no more than a helper may link; SluiceStore writes and removes them.
//
// These are no store files: SQLite never opens them and holds no locks on them.

package import FoundationEssentials
import Glibc
package import SluiceSQLite

/// The external values of one store. Every call opens at most one file and keeps nothing open; any thread may call.
package struct ExternalValues: Hashable, Sendable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// The folder beside the store at `path`; nil for a store in memory. A link to a store leads to the folder of the store, as SQLite's
    /// log does.
    package init?(besideStore path: String) {
        guard !path.isEmpty, path != ":memory:" else { return nil }
        var path = path
        if let resolved = realpath(path, nil) {
            path = String(cString: resolved)
            free(resolved)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        folder = String(path.dropLast(name.count)) + Self.folderName(ofStore: name)
    }

    /// Core Data's name for the folder, of the store's name without its extension. The numbered local stores of a group container share
    /// one.
    package static func folderName(ofStore name: String) -> String { ".\(baseName(ofStore: name))_SUPPORT" }

    private static func baseName(ofStore name: String) -> Substring {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == "Local", parts[2] == "store", Int64(parts[1]) != nil { return parts[0] }
        guard parts.count > 1, let last = parts.last, last.count + 1 < name.count else { return name[...] }
        return name.dropLast(last.count + 1)
    }

    package func path(of reference: ExternalReference) -> String { "\(folder)/\(reference.fileName)" }

    // MARK: Reading

    /// The value.
    /// - Throws: `ExternalValueFault` where the file is not there, not readable, or not of the size that the reference says.
    package func read(_ reference: ExternalReference) throws(ExternalValueFault) -> Data {
        let path = path(of: reference)
        // Whatever lies there instead of a file must not make us wait.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.fault(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.fault(path, errno) }
        if let reason = Self.mismatch(status, reference) { throw ExternalValueFault(path: path, reason: reason) }
        var value = Data(count: reference.byteCount)
        let (count, code) = value.withUnsafeMutableBytes { Self.fill($0, from: descriptor) }
        if code != 0 { throw Self.fault(path, code) }
        guard count == reference.byteCount else {
            throw ExternalValueFault(path: path, reason: .otherSize(expected: reference.byteCount, found: count))
        }
        return value
    }

    /// What is wrong with the file of a value, as far as that shows without reading it; nil where nothing is.
    package func fault(of reference: ExternalReference) -> ExternalValueFault? {
        let path = path(of: reference)
        var status = stat()
        guard stat(path, &status) == 0 else { return Self.fault(path, errno) }
        if let reason = Self.mismatch(status, reference) { return ExternalValueFault(path: path, reason: reason) }
        return access(path, R_OK) == 0 ? nil : Self.fault(path, errno)
    }

    private static func mismatch(_ status: stat, _ reference: ExternalReference) -> ExternalValueFault.Reason? {
        guard status.st_mode & S_IFMT == S_IFREG else { return .missing }
        guard Int(status.st_size) == reference.byteCount else {
            return .otherSize(expected: reference.byteCount, found: Int(status.st_size))
        }
        return nil
    }

    /// Reads until the buffer is full or the file ends. Returns the number of bytes, and the error's number where there was one.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> (count: Int, code: Int32) {
        var count = 0
        while let start = buffer.baseAddress, count < buffer.count {
            let got = Glibc.read(descriptor, start + count, buffer.count - count)
            if got < 0, errno == EINTR { continue }
            if got < 0 { return (count, errno) }
            if got == 0 { break }
            count += got
        }
        return (count, 0)
    }

    private static func fault(_ path: String, _ code: Int32) -> ExternalValueFault {
        switch code {
        case ENOENT, ENOTDIR: ExternalValueFault(path: path, reason: .missing)
        case EACCES, EPERM: ExternalValueFault(path: path, reason: .notPermitted)
        default: ExternalValueFault(path: path, reason: .unreadable(errno: code))
        }
    }
}

extension PropertyValue {
    /// The value of a column of `type`, from its file where it lies in one.
    ///
    /// A reference is followed whether or not the attribute is external now: a value stays where it is until it is written again.
    /// - Parameter external: nil where the store has no folder.
    /// - Throws: `ExternalValueFault`.
    package init(stored value: SQLiteValue, as type: AttributeType, external: ExternalValues?) throws(ExternalValueFault) {
        guard type.isBytes, case .text(let text) = value, let reference = ExternalReference(text) else {
            self.init(stored: value, as: type)
            return
        }
        guard let external else { throw ExternalValueFault(path: text, reason: .noFolder) }
        self = .data(try external.read(reference))
    }
}
