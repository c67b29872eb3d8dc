import CShims
import Glibc

/// Recognises file systems on which neither SQLite's locks nor an advisory lock hold between machines.
package enum NetworkFileSystem {
    /// The file system's name where `path` lies on a network mount; nil for a local one. Magic numbers: statfs(2).
    package static func name(at path: String) throws(ImportError) -> String? {
        let type = sluice_file_system_type(path)
        guard type >= 0 else { throw .file(operation: "look at its file system", path: path, code: errno) }
        return name(ofType: UInt32(truncatingIfNeeded: type))
    }

    static func name(ofType type: UInt32) -> String? {
        switch type {
        case 0x6969: "NFS"
        case 0xFF53_4D42, 0xFE53_4D42, 0x517B: "SMB"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x0102_1997: "9P"
        case 0x00C3_6400: "Ceph"
        case 0x564C: "NCP"
        case 0x7375_7245: "Coda"
        default: nil
        }
    }
}
