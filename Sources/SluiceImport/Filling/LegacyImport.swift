// From a staged copy to the final store. Onlookers see no store or a complete one:
//
// 1. A new store is built at `<target>.importing`: rows in bounded transactions with origin `import`, then proved (integrity, counts,
//    every value), then recorded inside itself under the source's digest.
// 2. Its log is merged, it is written to disk and gets its name by rename. A crash before leaves `<target>.importing`, which the next run
//    removes; a crash after leaves a complete store that says what was imported. Values in files beside the store are in the target's
//    folder from the start: what a crash leaves there the store's upkeep removes.
// 3. Where the target exists, the rows are added to it in one transaction, record included: all or nothing. The same bytes are imported
//    once.
//
// Needs no network and no credentials (field report 04). One run at a time: the caller holds LegacyStaging's lock.

import Foundation
import SluiceSQLite
package import SluiceSchema
package import SluiceStore

/// Makes the store at one path from a staged legacy store.
///
///     let result = try LegacyImport(target: path, options: options).run(staged)
package struct LegacyImport {
    /// What has just been done; tests stop here, programs show progress.
    package enum Step: Hashable, Sendable {
        case begun
        /// So many rows are in the store.
        case rows(Int)
        case proved
        case recorded
        case merged
        case renamed
    }

    package struct Result: Sendable {
        package let report: ImportReport
        package let outcome: ImportOutcome
    }

    package struct Options {
        /// Of the store that is made; an existing one keeps its own.
        package var store: Store.Options
        /// The account's schema; nil takes the file's.
        package var schema: Schema?
        package var schemaName: String
        /// As in `CoreDataFile.Options`.
        package var identities: [String: String] = [:]
        /// What is called otherwise, converted or left out.
        package var mapping: LegacyMapping?

        package init(store: Store.Options, schemaName: String, schema: Schema? = nil) {
            self.store = store
            self.schemaName = schemaName
            self.schema = schema
        }
    }

    private let target: String
    private let options: Options
    private var temporary: String { target + ".importing" }

    /// - Parameter target: the absolute path of the store to be.
    package init(target: String, options: Options) {
        self.target = target
        self.options = options
    }

    /// - Throws: `ImportError`, `StoreError`, `SQLiteError` or `DatabaseCopyFailure`; the target is then as it was.
    package func run(_ staged: StagedStore, after step: (Step) throws -> Void = { _ in }) throws -> Result {
        if try LegacyKind.of(staged) == .sluice, options.mapping == nil, let moved = try move(staged, after: step) { return moved }
        var fileOptions = LegacyFileOptions(schemaName: options.schemaName, identities: options.identities)
        fileOptions.mapping = options.mapping
        let exists = try FileStatus(ofPath: target) != nil
        fileOptions.target = exists ? try Store.schema(at: target) : options.schema
        let file = try LegacyKind.open(staged, options: fileOptions)
        return Result(report: file.report, outcome: exists ? try add(file, after: step) : try build(file, after: step))
    }

    // MARK: A new store

    private func build(_ file: any LegacyFile, after step: (Step) throws -> Void) throws -> ImportOutcome {
        try removeTemporary()
        try step(.begun)
        let outcome = try {
            let store = try Store(path: temporary, schema: options.schema ?? file.schema, options: temporaryOptions)
            let filler = try StoreFiller(file, into: store, isEmpty: true)
            _ = try filler.fill { try step(.rows($0)) }
            let faults = try store.connection.integrityFaults()
            guard faults.isEmpty else { throw StoreError.damaged(path: temporary, faults: faults) }
            _ = try filler.verify()
            try compareCounts(file.report, filler.outcome, store)
            try step(.proved)
            try store.write(.import) { try record(filler.outcome, digest: file.store.digest, in: store) }
            try step(.recorded)
            return filler.outcome
        }()
        try publish(after: step)
        return outcome
    }

    private func compareCounts(_ report: ImportReport, _ outcome: ImportOutcome, _ store: Store) throws {
        var stored = 0
        for root in store.layout.schema.roots {
            if let entity = store.layout.entities[root.name] { stored += try store.count(of: entity) }
        }
        let expected = report.totals.importedRows - outcome.conflictingRows - outcome.unmappedRows
        guard stored == expected, stored == outcome.insertedRows else {
            throw ImportError.lostRows(expected: expected, found: stored)
        }
    }

    // MARK: An existing store

    private func add(_ file: any LegacyFile, after step: (Step) throws -> Void) throws -> ImportOutcome {
        guard let schema = try Store.schema(at: target) else { throw ImportError.sourceMissing(path: target) }
        try step(.begun)
        let store = try Store(path: target, schema: schema, options: options.store)
        if let text = try store.setting(Self.key(file.store.digest))?.text {
            var outcome = try JSONDecoder().decode(ImportOutcome.self, from: Data(text.utf8))
            outcome.isRepeated = true
            return outcome
        }
        let filler = try StoreFiller(file, into: store, isEmpty: false)
        try store.write(.import) {
            _ = try filler.fill { try step(.rows($0)) }
            _ = try filler.verify()
            try step(.proved)
            try record(filler.outcome, digest: file.store.digest, in: store)
            try step(.recorded)
        }
        return filler.outcome
    }

    // MARK: Ours from another place

    /// Field report 04: a move keeps record names, change tags, the token and what waits to be sent; nothing is made anew.
    /// - Returns: nil where another store is there already: then its rows are added under their record names.
    private func move(_ staged: StagedStore, after step: (Step) throws -> Void) throws -> Result? {
        guard let schema = try Store.schema(at: staged.path) else { throw ImportError.sourceMissing(path: staged.path) }
        if try FileStatus(ofPath: target) != nil { return try moved(staged, schema) }
        try removeTemporary()
        try step(.begun)
        do { try Connection.copyDatabase(from: staged.path, to: temporary) } catch let failure as DatabaseCopyFailure {
            guard case .damaged(let faults) = failure.reason else { throw failure }
            throw StoreError.damaged(path: temporary, faults: faults)
        }
        try copySupport(of: staged)
        let result = try {
            let store = try Store(path: temporary, schema: schema, options: temporaryOptions)
            let source = try Connection(path: staged.path, mode: .readOnly)
            let report = try StoreAccount(schema: schema).report(
                of: staged, source, copy: store.connection, lost: store.externalFaults(checkingContents: true, limit: .max))
            var outcome = ImportOutcome()
            outcome.insertedRows = report.totals.importedRows
            outcome.insertedLinks = report.totals.importedLinks
            try step(.proved)
            try store.write(.import) {
                try store.removeSettings(withPrefix: Self.sourcePrefix)
                try record(outcome, digest: staged.digest, in: store)
            }
            try step(.recorded)
            return Result(report: report, outcome: outcome)
        }()
        try publish(after: step)
        return result
    }

    /// What an earlier run came to that was cut off after it had given the store its name; nil where the store there is another.
    private func moved(_ staged: StagedStore, _ schema: Schema) throws -> Result? {
        guard let held = try Store.schema(at: target),
            let text = try Store(path: target, schema: held, options: options.store).setting(Self.key(staged.digest))?.text
        else { return nil }
        var outcome = try JSONDecoder().decode(ImportOutcome.self, from: Data(text.utf8))
        outcome.isRepeated = true
        // The store has gone on since; that everything arrived was proved before it got its name.
        let source = try Connection(path: staged.path, mode: .readOnly)
        return Result(report: try StoreAccount(schema: schema).report(of: staged, source, copy: source), outcome: outcome)
    }

    private var support: String? { SluiceSchema.ExternalValues(besideStore: target)?.folder }

    private var temporaryOptions: Store.Options {
        var options = options.store
        options.externalFolder = support
        return options
    }

    private func copySupport(of staged: StagedStore) throws {
        let source = (staged.externalData as NSString).deletingLastPathComponent
        guard try FileStatus(ofPath: source)?.kind == .directory else { return }
        guard let support else { return }
        let partial = support + ".importing"
        try Folder.remove(partial)
        var copy = SourceCopy()
        try copy.copyFolder(source, to: partial)
        _ = copy.finish()
        // Left from a crash between this rename and the store's: no store names its files.
        try Folder.remove(support)
        try Folder.rename(partial, to: support)
    }

    // MARK: Finishing

    /// Where a store's owner keeps, by path, which sources of its machine it has seen. A store that is moved leaves that behind: on another
    /// machine the same path is another file.
    package static let sourcePrefix = "legacy:"

    private static func key(_ digest: String) -> String { "import:\(digest)" }

    private func record(_ outcome: ImportOutcome, digest: String, in store: Store) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try store.set(.text(String(decoding: try encoder.encode(outcome), as: UTF8.self)), for: Self.key(digest))
    }

    /// Makes the finished store one file on the disk and gives it its name.
    private func publish(after step: (Step) throws -> Void) throws {
        do {
            let connection = try Connection(path: temporary, mode: .readWrite)
            let result = try connection.checkpoint()
            guard !result.isBlocked else { throw ImportError.file(operation: "merge its log", path: temporary, code: EBUSY) }
        }
        for suffix in Self.suffixes { try Folder.remove(temporary + suffix) }
        try OpenFile.reading(temporary).synchronize()
        try step(.merged)
        // A log left at the target would be replayed into the new store (field report R1).
        for suffix in Self.suffixes { try Folder.remove(target + suffix) }
        try Folder.rename(temporary, to: target)
        try step(.renamed)
    }

    private static let suffixes = ["-wal", "-shm", "-journal"]

    private func removeTemporary() throws {
        for suffix in [""] + Self.suffixes { try Folder.remove(temporary + suffix) }
    }
}
