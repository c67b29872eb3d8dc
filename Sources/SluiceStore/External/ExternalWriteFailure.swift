import Glibc

/// An external value could not be put into its file, or its file not be removed. The transaction that wanted it comes to nothing.
package struct ExternalWriteFailure: Error, Hashable, Sendable {
    /// As in "writing".
    package let operation: String
    package let path: String
    package let code: Int32

    /// The failure of the system call that just returned.
    static func last(_ operation: String, _ path: String) -> ExternalWriteFailure {
        ExternalWriteFailure(operation: operation, path: path, code: errno)
    }

    /// Whether the same may succeed later without anybody changing the store.
    package var isPassing: Bool { [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }
}

extension ExternalWriteFailure: CustomStringConvertible {
    package var description: String {
        let text = "\(path): \(operation) an external value failed: \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC, EDQUOT: return "\(text): make room, then try again"
        case EACCES, EPERM, EROFS: return "\(text): check the owner and mode of the store's directory"
        default: return text
        }
    }
}
