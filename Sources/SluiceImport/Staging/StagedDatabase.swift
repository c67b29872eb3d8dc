import Foundation
import SluiceSQLite

/// The copied main file, log and journal before they have their final name: found sound and made into one file, or refused.
struct StagedDatabase {
    let path: String
    /// What errors name: the person knows the source, not the copy.
    let source: String

    /// Merges log and journal into the main file and leaves a database that needs no file beside it.
    func settle(_ circumstances: WriteAheadLog.Circumstances) throws -> [StagingNote] {
        guard let header = try readHeader() else { return [] }
        var notes: [StagingNote] = []
        if let mismatch = try foreignLog(circumstances) {
            try Folder.remove(path + "-wal")
            notes.append(.foreignLog(reason: mismatch.rawValue))
        }
        if try journalIsForeign(header) {
            try Folder.remove(path + "-journal")
            notes.append(.foreignJournal)
        }
        let hasLog = try FileStatus(ofPath: path + "-wal") != nil
        if header.usesWriteAheadLog, !hasLog, notes.isEmpty, circumstances.hasUnmovedFrames { throw ImportError.logMissing(path: source) }
        let hasJournal = try FileStatus(ofPath: path + "-journal") != nil
        try checkSize(header, isMainFileAlone: !hasLog && !hasJournal)
        do {
            let check = try faults(recovering: hasJournal)
            if !check.faults.isEmpty {
                guard hasLog, try isSoundWithoutLog() else { throw ImportError.damaged(path: source, faults: check.faults) }
                notes.append(.foreignLog(reason: "with it the store is damaged, without it the store is sound"))
            }
            if let unchecked = check.unchecked { notes.append(.checkIncomplete(reason: unchecked)) }
            try merge()
        } catch let error as SQLiteError {
            throw translated(error)
        }
        return notes
    }

    /// Nil for a JSON text: it is one file as it is, and whoever reads it says what is wrong with it.
    private func readHeader() throws -> DatabaseHeader? {
        let file = try OpenFile.reading(path)
        let beginning = try file.read(SourceFormat.byteCount, at: 0)
        if let header = DatabaseHeader(beginning) { return header }
        let format = SourceFormat(beginning: beginning)
        if format == .json { return nil }
        if DatabaseHeader.isDamaged(beginning, fileByteCount: try file.status().byteCount) { throw ImportError.damagedHeader(path: source) }
        if format == .unknown, SourceFormat.looksEncrypted(beginning, fileByteCount: try file.status().byteCount) {
            throw ImportError.encrypted(path: source)
        }
        throw ImportError.notSQLite(path: source, found: format)
    }

    private func foreignLog(_ circumstances: WriteAheadLog.Circumstances) throws -> WriteAheadLog.Mismatch? {
        guard try FileStatus(ofPath: path + "-wal") != nil, let log = try WriteAheadLog.reading(path + "-wal") else { return nil }
        return try log.mismatch(withDatabaseAt: path, circumstances)
    }

    /// A journal states the page size at offset 24 (file format, section 3); one without the magic number is not hot, and SQLite ignores
    /// it.
    private func journalIsForeign(_ header: DatabaseHeader) throws -> Bool {
        guard try FileStatus(ofPath: path + "-journal") != nil else { return false }
        let beginning = try OpenFile.reading(path + "-journal").read(28, at: 0)
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        guard beginning.count == 28, beginning.starts(with: magic) else { return false }
        return header.usesWriteAheadLog || Int(beginning.bigEndian(at: 24)) != header.pageSize
    }

    private func checkSize(_ header: DatabaseHeader, isMainFileAlone: Bool) throws {
        guard isMainFileAlone, let expected = header.expectedByteCount else { return }
        let found = try FileStatus(ofPath: path)?.byteCount ?? 0
        if found < expected { throw ImportError.truncated(path: source, expectedByteCount: expected, foundByteCount: found) }
    }

    /// Reads without merging the log, so that it can still be judged; a hot journal needs a writer to be rolled back.
    private func faults(recovering: Bool) throws -> (faults: [String], unchecked: String?) {
        let connection = try Connection(path: path, mode: recovering ? .readWrite : .readOnly)
        do {
            return (try connection.integrityFaults(), nil)
        } catch let error as SQLiteError where error.code == .error {
            // A collation or a module that this build does not have. The tables themselves are read later, row by row.
            return ([], error.message)
        } catch let error as SQLiteError where ResultCode.corrupt ~= error.code {
            return ([error.message], nil)
        }
    }

    private func isSoundWithoutLog() throws -> Bool {
        try Folder.remove(path + "-wal")
        try Folder.remove(path + "-shm")
        return try faults(recovering: false).faults.isEmpty
    }

    private func merge() throws {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            _ = try connection.checkpoint()
            // Readers of the finished copy then need no file beside it.
            _ = try connection.value("PRAGMA journal_mode = DELETE")
        }
        for suffix in ["-wal", "-shm", "-journal"] { try Folder.remove(path + suffix) }
        try OpenFile.reading(path).synchronize()
    }

    private func translated(_ error: SQLiteError) -> any Error {
        switch error.code {
        case .notADatabase: ImportError.encrypted(path: source)
        case .corrupt: ImportError.damaged(path: source, faults: [error.message])
        default: ImportError.sqlite(error)
        }
    }
}
