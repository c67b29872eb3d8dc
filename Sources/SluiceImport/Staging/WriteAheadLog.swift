// Decides whether a `-wal` belongs to the database it lies beside. SQLite itself never asks: it replays whatever log it finds, and after a
// store was replaced under an old log it serves the old rows while integrity_check says ok (field report R1).
//
// The log does not name its database, so its frames are compared with the pages they claim to continue. Formats:
// https://www.sqlite.org/fileformat2.html, section 4 (log) and https://www.sqlite.org/walformat.html, section 2 (index).
// 1. A database in rollback mode, or with another page size, owns no log.
// 2. Where page 1 of the database is one of the log's images of it, a checkpoint has moved the log up to that commit, and then every page
//    touched
//    before stands in the database as one of its images; or the commit left page 1 as it was (the change counter does not
//    always grow), and then most other pages resemble what they were.
// 3. Otherwise the log's first image of page 1 must be the next state of the database's: change counter the same or one more, schema
//    not older, and the same schema text where the schema's number is the same.
// 4. A log without an image of page 1 changes no size: its commits must state the database's page count.
// 5. In 3 and 4 pages must resemble what they were. Where most do not, and the database is the newer file or there are several and not one
//    does, the log is of another history. A changed schema number is exempt: VACUUM rewrites everything.
// 6. A checkpoint that was cut off half way (the index says so) leaves any mixture, so only 1 is asked.

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
    /// - Parameter circumstances: as they were at the source; the copies' own times mean nothing.
    func mismatch(withDatabaseAt path: String, _ circumstances: Circumstances) throws -> Mismatch? {
        let database = try OpenFile.reading(path)
        guard let header = DatabaseHeader(try database.read(DatabaseHeader.byteCount, at: 0)) else { return .otherHistory }
        guard header.usesWriteAheadLog else { return .rollbackMode }
        guard header.pageSize == pageSize else { return .pageSize }
        if circumstances.wasCheckpointing { return nil }

        guard let first = frames.first(where: { $0.page == 1 }) else {
            let size = try header.expectedByteCount ?? database.status().byteCount
            guard frames.allSatisfy({ $0.sizeAfterCommit == 0 || Int($0.sizeAfterCommit) * pageSize == size }) else { return .otherSize }
            return try resemblance(of: frames[...], to: database).isOtherHistory(circumstances) ? .otherPages : nil
        }
        let page = try database.read(pageSize, at: 0)
        if let moved = try lastImage(equalTo: page) {
            let committed = frames[moved...].firstIndex { $0.sizeAfterCommit > 0 } ?? moved
            if try agrees(on: frames[...committed], with: database) { return nil }
            return try resemblance(of: frames[...committed], to: database).isMostlyAlike ? nil : .otherPages
        }
        let next = try file.read(pageSize, at: first.offset)
        guard Self.continues(page, with: next) else { return .otherHistory }
        if let new = DatabaseHeader(next), new.schemaCookie != header.schemaCookie { return nil }
        return try resemblance(of: frames[...], to: database).isOtherHistory(circumstances) ? .otherHistory : nil
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
        let images = try images(of: touched)
        // A later commit may have shortened the file: a page beyond its end proves nothing.
        let pageCount = try database.status().byteCount / pageSize
        for page in touched where page > 0 && Int(page) <= pageCount {
            let bytes = try database.read(pageSize, at: (Int(page) - 1) * pageSize)
            if images[page]?.contains(Digest.sha256(bytes)) != true { return false }
        }
        return true
    }

    /// The digests of all images of the given pages.
    private func images(of pages: Set<UInt32>) throws -> [UInt32: Set<Data>] {
        var images: [UInt32: Set<Data>] = [:]
        for frame in frames where pages.contains(frame.page) {
            images[frame.page, default: []].insert(Digest.sha256(try file.read(pageSize, at: frame.offset)))
        }
        return images
    }

    /// Compares pages of the database with the log's first image of each that says anything; a page that was moved is alike.
    private func resemblance(of frames: ArraySlice<Frame>, to database: borrowing OpenFile) throws -> PageResemblance {
        var resemblance = PageResemblance()
        let pageCount = try database.status().byteCount / pageSize
        let images = try images(of: Set(frames.map(\.page)))
        var judged: Set<UInt32> = [1]
        for frame in frames where Int(frame.page) <= pageCount && frame.page > 0 && !judged.contains(frame.page) {
            let old = try database.read(pageSize, at: (Int(frame.page) - 1) * pageSize)
            if images[frame.page]?.contains(Digest.sha256(old)) == true {
                resemblance.countMoved()
                judged.insert(frame.page)
                continue
            }
            if resemblance.compare(old, with: try file.read(pageSize, at: frame.offset)) { judged.insert(frame.page) }
            if resemblance.pageCount >= PageResemblance.pageCountMax { break }
        }
        return resemblance
    }

    private static func continues(_ page: Data, with next: Data) -> Bool {
        guard let old = DatabaseHeader(page), let new = DatabaseHeader(next) else { return false }
        guard new.changeCounter == old.changeCounter || new.changeCounter == old.changeCounter &+ 1 else { return false }
        guard new.pageSize == old.pageSize, new.textEncoding == old.textEncoding || old.textEncoding == 0 else { return false }
        guard new.schemaCookie >= old.schemaCookie else { return false }
        let body = DatabaseHeader.byteCount
        return new.schemaCookie > old.schemaCookie || page.dropFirst(body) == next.dropFirst(body)
    }

    /// What only the source shows about how database and log came to lie side by side.
    struct Circumstances {
        /// The index says that a checkpoint had begun to move frames.
        var wasCheckpointing = false
        /// The database was written after the log was.
        var isDatabaseNewer = false
        /// The index says that the log holds commits which the database does not.
        var hasUnmovedFrames = false

        init(_ source: LegacySource) throws {
            let index = try WriteAheadLog.Index(source.index)
            wasCheckpointing = index?.wasCheckpointing ?? false
            hasUnmovedFrames = index?.hasUnmovedFrames ?? false
            guard let database = try FileStatus(ofPath: source.path), let log = try FileStatus(ofPath: source.log) else { return }
            isDatabaseNewer =
                (database.modifiedSeconds, database.modifiedNanoseconds) > (log.modifiedSeconds, log.modifiedNanoseconds)
        }
    }

    /// What the index (`-shm`) says about the log. Two copies of its header (48 bytes each), then nBackfill, five read marks, eight lock bytes,
    /// nBackfillAttempted; native order.
    private struct Index {
        /// A checkpoint had begun to move frames.
        let wasCheckpointing: Bool
        let hasUnmovedFrames: Bool

        /// Nil where there is no index, or none that was ever in use.
        init?(_ path: String) throws {
            guard let status = try FileStatus(ofPath: path), status.kind == .regular else { return nil }
            let bytes = try OpenFile.reading(path).read(136, at: 0)
            guard bytes.count == 136 else { return nil }
            func number(_ offset: Int) -> UInt32 { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) } }
            wasCheckpointing = number(128) > number(96)
            let isInitialised = bytes[12] == 1 && bytes[0..<48] == bytes[48..<96]
            hasUnmovedFrames = isInitialised && number(16) > number(96)
        }
    }
}
