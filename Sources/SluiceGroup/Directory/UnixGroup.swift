import Glibc

/// A group of the system's users.
struct UnixGroup: Sendable {
    let name: String
    let identifier: gid_t

    init(_ name: String) throws(GroupError) {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        // A group with very many members needs more room than the system suggests.
        var buffer = [CChar](repeating: 0, count: 16_384)
        var code = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        while code == ERANGE, buffer.count < 16_777_216 {
            buffer = [CChar](repeating: 0, count: buffer.count * 4)
            code = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        }
        guard code == 0, found != nil else { throw .unknownUnixGroup(name) }
        self.name = name
        identifier = entry.gr_gid
    }
}
