import Glibc

/// Processes that hold a lock on a store, as the kernel lists them.
enum LockHolders {
    /// Process identifiers, this process left out, in ascending order. Processes of other containers are not listed to us, so an empty
    /// answer proves nothing; it names culprits, it never decides.
    static func processes(locking path: String) -> [Int32] {
        let inodes = Set(["", "-shm"].compactMap { suffix -> UInt64? in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? UInt64(status.st_ino) : nil
        })
        return processes(in: locks(), inodes: inodes, besides: getpid())
    }

    /// A line reads `7: POSIX  ADVISORY  READ 4711 08:02:131 1073741826 1073742335`. The inode alone is compared: some file systems show
    /// another device here than to stat(2).
    static func processes(in listing: String, inodes: Set<UInt64>, besides own: Int32) -> [Int32] {
        let holders = listing.split(separator: "\n").compactMap { line -> Int32? in
            let words = line.split(separator: " ").filter { $0 != "->" }
            guard words.count >= 6, let process = Int32(words[4]), process > 0, process != own,
                let inode = words[5].split(separator: ":").last.flatMap({ UInt64($0) }), inodes.contains(inode)
            else { return nil }
            return process
        }
        return Set(holders).sorted()
    }

    private static func locks() -> String {
        let descriptor = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // A machine with very many locks is cut off rather than read for ever.
        while bytes.count < 8_388_608 {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
