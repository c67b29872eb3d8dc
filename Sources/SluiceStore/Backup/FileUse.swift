import Glibc

/// Whether a process that this one may look at has a file open, itself included. Opens nothing: closing a second descriptor of a store
/// drops SQLite's locks.
enum FileUse {
    static func isOpen(_ path: String) -> Bool {
        var file = stat()
        guard stat(path, &file) == 0 else { return false }
        for process in names(in: "/proc") where process.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            for descriptor in names(in: "/proc/\(process)/fd") {
                var status = stat()
                guard stat("/proc/\(process)/fd/\(descriptor)", &status) == 0 else { continue }
                if (status.st_dev, status.st_ino) == (file.st_dev, file.st_ino) { return true }
            }
        }
        return false
    }

    /// Empty where the directory may not be read: another user's process.
    private static func names(in path: String) -> [String] { (try? ExternalFolder.names(in: path)) ?? [] }
}
