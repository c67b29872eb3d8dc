import Foundation
import Glibc

/// A legacy store where it was found: its main file, what lies beside it, and a fingerprint that changes when any of them is written.
///
/// Nothing here opens the source through SQLite, and nothing is written near it.
struct LegacySource {
    /// The main file with every link resolved: SQLite keeps the log beside the real file.
    let path: String

    var name: String { (path as NSString).lastPathComponent }
    var log: String { path + "-wal" }
    var index: String { path + "-shm" }
    var journal: String { path + "-journal" }

    /// `.Name_SUPPORT` beside `Name.sqlite`: values too large for the database.
    var supportName: String { ".\((name as NSString).deletingPathExtension)_SUPPORT" }
    var support: String { (path as NSString).deletingLastPathComponent + "/" + supportName }

    init(found path: String) throws(ImportError) {
        guard path.hasPrefix("/") else { throw .relativePath(path) }
        guard let resolved = realpath(path, nil) else {
            if errno == ENOENT || errno == ENOTDIR { throw .sourceMissing(path: path) }
            throw .file(operation: "find it", path: path, code: errno)
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
        guard let status = try FileStatus(ofPath: self.path) else { throw .sourceMissing(path: path) }
        guard status.kind == .regular else { throw .notAFile(path: path, found: status.kind) }
        guard status.byteCount > 0 else { throw .emptySource(path: path) }
    }

    /// Two equal fingerprints, one before and one after a copy: nobody wrote in between.
    struct Fingerprint: Hashable {
        fileprivate var parts: [Part] = []
        fileprivate struct Part: Hashable {
            let status: FileStatus?
            /// Holds the change counter of a database, the salts of a log.
            let beginning: Data
        }
    }

    func fingerprint() throws(ImportError) -> Fingerprint {
        var fingerprint = Fingerprint()
        for path in [path, log, journal] {
            let status = try FileStatus(ofPath: path)
            var beginning = Data()
            if status?.kind == .regular { beginning = try OpenFile.reading(path).read(DatabaseHeader.byteCount, at: 0) }
            fingerprint.parts.append(.init(status: status, beginning: beginning))
        }
        return fingerprint
    }
}

extension LegacyStaging {
    /// Changes when the source at `path` is written: sizes and times of its file, log and journal. Nil where it is not there.
    package static func mark(of path: String) -> String? {
        guard let source = try? LegacySource(found: path) else { return nil }
        let parts = [source.path, source.log, source.journal].map { path -> String in
            // A log without content is none.
            guard let status = try? FileStatus(ofPath: path), status.byteCount > 0 else { return "-" }
            return "\(status.byteCount)@\(status.modifiedSeconds).\(status.modifiedNanoseconds)"
        }
        return parts.joined(separator: " ")
    }
}

extension SourceFormat {
    /// So many bytes tell formats apart.
    static let byteCount = 4_096

    /// By the first bytes of a file that is no SQLite database.
    init(beginning bytes: Data) {
        // A JSON text may begin with a byte order mark and spaces.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = (bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
            self = .json
            return
        }
        let signatures: [([UInt8], SourceFormat)] = [
            (Array("bplist".utf8), .propertyList), (Array("<?xml".utf8), .xml), ([0x1F, 0x8B], .archive), (Array("PK".utf8), .archive), ([0x37, 0x7F, 0x06], .writeAheadLog),
        ]
        self = signatures.first { bytes.starts(with: $0.0) }?.1 ?? .unknown
    }

    /// Encrypted pages look like noise: in 4,096 random bytes nearly all 256 values appear, in text and in our formats far fewer do.
    static func looksEncrypted(_ bytes: Data, fileByteCount: Int) -> Bool {
        fileByteCount % 512 == 0 && bytes.count >= 1_024 && Set(bytes).count > 240
    }
}
