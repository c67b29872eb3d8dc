import CShims
import Foundation
import Glibc

/// Certificates and keys as files.
package enum SecretFiles {
    /// Writes a new file of that mode; one that is there already is left alone and an error.
    package static func create(_ path: String, mode: UInt32, _ text: String) throws(DataDirectoryError) {
        let descriptor = sluice_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let failure = errno
            throw DataDirectoryError(
                failure == EEXIST ? .exists : .cannotUse, path,
                failure == EEXIST ? "is there already; remove it or name another directory" : String(cString: strerror(failure)))
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count, fsync(descriptor) == 0 else {
            throw DataDirectoryError(.cannotUse, path, "cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Reads a PEM file; a private key that everybody may read is refused.
    package static func read(_ path: String, isSecret: Bool) throws(DataDirectoryError) -> String {
        var attributes = stat()
        guard stat(path, &attributes) == 0 else {
            throw DataDirectoryError(.missing, path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        if isSecret, attributes.st_mode & 0o007 != 0 {
            throw DataDirectoryError(.cannotUse, path, "is a secret that everybody may use; run: chmod o-rwx \(path)")
        }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw DataDirectoryError(.cannotUse, path, "cannot be read as text: \(error.localizedDescription)")
        }
    }
}
