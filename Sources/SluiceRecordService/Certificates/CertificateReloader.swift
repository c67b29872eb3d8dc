package import SluiceHTTPServer
import Glibc
import Synchronization

/// Takes a service's certificate into use anew where its files have changed, or somebody asks.
///
/// Whoever renews a certificate writes two files, one after the other, and may not know of this service: so the files are looked at, every second, and
/// read once they have stood still for one. What cannot be used is named in the log, once, and the certificate before it stays.
package final class CertificateReloader: Sendable {
    /// What tells a file from the one that was there before, also behind a link.
    private struct Stamp: Equatable {
        var device: UInt64 = 0
        var file: UInt64 = 0
        var size: Int64 = 0
        var seconds = 0
        var nanoseconds = 0
    }

    private let files: [String]
    private let read: @Sendable () throws -> TLSIdentity
    private let replace: @Sendable (TLSIdentity) throws -> Void
    private let log: ServiceLog
    /// The files as they were when they were read last.
    private let known: Mutex<[Stamp?]>

    /// - Parameters:
    ///   - files: the certificate's and the key's, as they are in use.
    ///   - replace: takes what `read` gave into use; throws where it is of no use.
    package init(
        files: [String], log: ServiceLog, read: @escaping @Sendable () throws -> TLSIdentity, replace: @escaping @Sendable (TLSIdentity) throws -> Void
    ) {
        self.files = files
        self.log = log
        self.read = read
        self.replace = replace
        known = Mutex(files.map(Self.stamp))
    }

    /// Looks at the files until the task is cancelled.
    package func watch() async {
        var before = files.map(Self.stamp)
        while !Task.isCancelled {
            // Cancelled: the loop ends.
            try? await Task.sleep(for: .seconds(1))
            let now = files.map(Self.stamp)
            if now == before, now != known.withLock({ $0 }) { reload() }
            before = now
        }
    }

    /// Reads the files now.
    package func reload() {
        // Taken first: a change while they are read is one more change.
        known.withLock { $0 = files.map(Self.stamp) }
        do {
            try replace(read())
            log.log(.notice, "the certificate was read anew; new connections are shown it")
        } catch {
            log.log(.error, "the new certificate cannot be used, the one before stays in use: \(error)")
        }
    }

    /// Nil where there is no such file.
    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), file: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
