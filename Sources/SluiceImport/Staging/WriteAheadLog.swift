// Decides whether a `-wal` belongs to the database it lies beside. SQLite itself never asks: it replays whatever log it finds, and after a
// store was replaced under an old log it serves the old rows while integrity_check says ok (field report R1).
//
// The log does not name its database, so its frames are compared with the pages they claim to continue. Formats:
// https://www.sqlite.org/fileformat2.html, section 4 (log) and https://www.sqlite.org/walformat.html, section 2 (index).
// 1. A database in rollback mode, or with another page size, owns no log.
// 2. Where page 1 of the database is one of the log's images of it, a checkpoint has moved the log at least up to there. Then every page with
//    an image before that point must be one of its images too, unless the index says that a checkpoint was cut off half way.
// 3. Otherwise the log's first image of page 1 must be the next state of the database's: change counter the same or one more, schema
//    not older, and the same schema text where the schema's number is the same.
// 4. A log without an image of page 1 changes no size: its commits must state the database's page count.

import Foundation
import SluiceDigest

/// A `-wal` file, seen beside its database. Reads plain bytes, so neither file may be open in this process.
struct WriteAheadLog: ~Copyable {
    /// Why a log is not this database's.
    enum Mismatch: String, Codable, Sendable {
        case rollbackMode = "the store does not use a write-ahead log"
        case pageSize = "its page size is another"
        case otherHistory = "its first page does not continue the store's"
        case otherPages = "it and the store disagree about pages that were moved already"
        case otherSize = "its commits state another size"
    }

    private struct Frame {
        let page: UInt32
        let sizeAfterCommit: UInt32
        let offset: Int
    }

    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24

    private let file: OpenFile
    private let pageSize: Int
    /// Up to the last commit. Each takes 16 bytes, and a frame at least 512 in the file.
    private let frames: [Frame]

    /// The log at `path`; nil where it holds no committed frame: then SQLite reads nothing from it either.
    static func reading(_ path: String) throws -> WriteAheadLog? {
        let file = try OpenFile.reading(path)
        let header = try file.read(headerByteCount, at: 0)
        guard header.count == headerByteCount, header.bigEndian(at: 0) & 0xFFFF_FFFE == 0x377F_0682 else { return nil }
        let pageSize = Int(header.bigEndian(at: 8))
        guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return nil }
        let frames = try committedFrames(of: file, pageSize: pageSize, salts: header[16..<24])
        return frames.isEmpty ? nil : WriteAheadLog(file: file, pageSize: pageSize, frames: frames)
    }

    /// A frame with other salts is left over from before the log was last begun anew.
    private static func committedFrames(of file: borrowing OpenFile, pageSize: Int, salts: Data) throws -> [Frame] {
        let byteCount = try file.status().byteCount
        var frames: [Frame] = []
        var committed = 0
        var offset = headerByteCount
        while offset + frameHeaderByteCount + pageSize <= byteCount {
            let head = try file.read(frameHeaderByteCount, at: offset)
            guard head.count == frameHeaderByteCount, head[8..<16] == salts else { break }
            let frame = Frame(
                page: head.bigEndian(at: 0), sizeAfterCommit: head.bigEndian(at: 4), offset: offset + frameHeaderByteCount)
            frames.append(frame)
            if frame.sizeAfterCommit > 0 { committed = frames.count }
            offset += frameHeaderByteCount + pageSize
        }
        frames.removeSubrange(committed...)
        return frames
    }

    /// Why the log cannot belong to the database at `path`; nil where it can.
    /// - Parameter wasCheckpointing: whether the index beside it says that a checkpoint was under way.
    func mismatch(withDatabaseAt path: String, wasCheckpointing: Bool) throws -> Mismatch? {
        let database = try OpenFile.reading(path)
        guard let header = DatabaseHeader(try database.read(DatabaseHeader.byteCount, at: 0)) else { return .otherHistory }
        guard header.usesWriteAheadLog else { return .rollbackMode }
        guard header.pageSize == pageSize else { return .pageSize }

        guard let first = frames.first(where: { $0.page == 1 }) else {
            let size = try header.expectedByteCount ?? database.status().byteCount
            return frames.allSatisfy { $0.sizeAfterCommit == 0 || Int($0.sizeAfterCommit) * pageSize == size } ? nil : .otherSize
        }
        let page = try database.read(pageSize, at: 0)
        if let moved = try lastImage(equalTo: page) {
            if wasCheckpointing { return nil }
            return try agrees(on: frames[...moved], with: database) ? nil : .otherPages
        }
        return Self.continues(page, with: try file.read(pageSize, at: first.offset)) ? nil : .otherHistory
    }

    /// The last frame that holds exactly this image of page 1.
    private func lastImage(equalTo page: Data) throws -> Int? {
        for index in frames.indices.reversed() where frames[index].page == 1 {
            if try file.read(pageSize, at: frames[index].offset) == page { return index }
        }
        return nil
    }

    /// Whether each page that `moved` touches stands in the database as one of the log's images of it.
    private func agrees(on moved: ArraySlice<Frame>, with database: borrowing OpenFile) throws -> Bool {
        let touched = Set(moved.map(\.page))
        var images: [UInt32: Set<Data>] = [:]
        for frame in frames where touched.contains(frame.page) {
            images[frame.page, default: []].insert(Digest.sha256(try file.read(pageSize, at: frame.offset)))
        }
        // A later commit may have shortened the file: a page beyond its end proves nothing.
        let pageCount = try database.status().byteCount / pageSize
        for page in touched where page > 0 && Int(page) <= pageCount {
            let bytes = try database.read(pageSize, at: (Int(page) - 1) * pageSize)
            if images[page]?.contains(Digest.sha256(bytes)) != true { return false }
        }
        return true
    }

    private static func continues(_ page: Data, with next: Data) -> Bool {
        guard let old = DatabaseHeader(page), let new = DatabaseHeader(next) else { return false }
        guard new.changeCounter == old.changeCounter || new.changeCounter == old.changeCounter &+ 1 else { return false }
        guard new.pageSize == old.pageSize, new.textEncoding == old.textEncoding || old.textEncoding == 0 else { return false }
        guard new.schemaCookie >= old.schemaCookie else { return false }
        let body = DatabaseHeader.byteCount
        return new.schemaCookie > old.schemaCookie || page.dropFirst(body) == next.dropFirst(body)
    }

    /// Whether the index (`-shm`) at `path` says that a checkpoint had begun to move frames.
    static func indexSaysCheckpointing(_ path: String) throws -> Bool {
        guard let status = try FileStatus(ofPath: path), status.kind == .regular else { return false }
        // Two copies of the index header (48 bytes each), then nBackfill, five read marks, eight lock bytes, nBackfillAttempted; native order.
        let bytes = try OpenFile.reading(path).read(136, at: 0)
        guard bytes.count == 136 else { return false }
        let attempted = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 128, as: UInt32.self) }
        let moved = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 96, as: UInt32.self) }
        return attempted > moved
    }
}
