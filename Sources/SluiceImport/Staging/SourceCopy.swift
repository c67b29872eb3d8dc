import Foundation
import SluiceDigest

/// Copies a legacy source byte for byte and digests what it copied.
///
/// Plain reads are right here: SluiceSQLite's rule about foreign descriptors protects files that this process has open through
/// SQLite. `OpenFile` refuses those, should somebody name one as a source.
struct SourceCopy: ~Copyable {
    private static let chunkByteCount = 1 << 20
    /// Core Data nests `_SUPPORT/_EXTERNAL_DATA/<file>`; ours one level more.
    private static let supportDepthMax = 4

    private var digest = Digest.Stream()
    private(set) var byteCount = 0
    private(set) var skipped: [String] = []

    /// Copies main file, log, journal and support folder into `folder`, which exists and is empty.
    mutating func copy(_ source: LegacySource, into folder: String) throws {
        let target = folder + "/" + source.name
        try copyFile(source.path, to: target)
        for (path, suffix) in [(source.log, "-wal"), (source.journal, "-journal")] {
            guard let status = try FileStatus(ofPath: path), status.kind == .regular, status.byteCount > 0 else { continue }
            digest.update(Data(suffix.utf8))
            try copyFile(path, to: target + suffix)
        }
        if try FileStatus(ofPath: source.support)?.kind == .directory {
            try copyFolder(source.support, to: folder + "/" + source.supportName, depth: 0)
        }
    }

    consuming func finish() -> Data { digest.finish() }

    mutating func copyFolder(_ path: String, to target: String, depth: Int = 0) throws {
        try Folder.make(target)
        for name in try Folder.names(in: path) {
            let item = path + "/" + name
            switch try FileStatus(ofPath: item)?.kind {
            case .regular:
                digest.update(Data(name.utf8))
                try copyFile(item, to: target + "/" + name)
            case .directory where depth < Self.supportDepthMax: try copyFolder(item, to: target + "/" + name, depth: depth + 1)
            default: skipped.append(name)
            }
        }
        try Folder.synchronize(target)
    }

    private mutating func copyFile(_ path: String, to target: String) throws {
        let input = try OpenFile.reading(path)
        let kind = try input.status().kind
        guard kind == .regular else { throw ImportError.notAFile(path: path, found: kind) }
        let output = try OpenFile.creating(target)
        var offset = 0
        while true {
            let chunk = try input.read(Self.chunkByteCount, at: offset)
            if chunk.isEmpty { break }
            digest.update(chunk)
            try output.write(chunk)
            offset += chunk.count
        }
        byteCount += offset
        try output.synchronize()
    }
}
