// First run: legacy stores are copied into the group directory and imported, each once, in the account file's order. Needs no network and no
// credentials. What was imported is recorded in the synced store under the source's path, so that a start does not read a large file again to
// find that it knows it; when the synced store is lost, the sources are imported again under the same record names.

import Foundation
import SluiceGroup
import SluiceImport
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// What became of one legacy source.
package struct LegacyStatus: Codable, Hashable, Sendable {
    package var source: String
    /// `imported`, `importing`, `missing`, `failed`.
    package var state: String
    package var rows: Int?
    package var reason: String?
    /// The report, for people and as JSON.
    package var report: String?
    /// SHA-256 of the source's bytes as they were imported.
    package var digest: String?
    /// The source's sizes and times then; another one means that it was written since. Of a source that is refused for what it holds as well:
    /// it is not copied again until it is written.
    package var mark: String?
}

struct LegacyIntake {
    let plan: AccountPlan
    let directory: StateDirectory
    /// What a store is made with, or holds; nil where that comes from the source.
    let schema: Schema?
    /// Asked between batches; true ends the import, which the next start begins anew.
    let isStopping: () -> Bool
    let progress: (_ source: String, _ rows: Int) -> Void

    private var stagingPath: String {
        get throws {
            guard let group = plan.group else { return directory.path + "/Legacy" }
            return try GroupDirectory(preparing: group.directory, unixGroup: group.unixGroup).legacyPath
        }
    }

    /// Imports every source that is not imported yet. A source that fails does not keep the next one from its turn.
    /// - Parameters:
    ///   - done: as `recorded` says.
    ///   - known: what this process found before.
    func run(besides done: [String: LegacyStatus], known: [LegacyStatus] = []) throws -> [LegacyStatus] {
        var statuses: [LegacyStatus] = []
        var staging: LegacyStaging?
        for source in plan.legacy.sources {
            if let status = done[source.path] ?? statuses.first(where: { $0.source == source.path }) {
                statuses.append(seenAgain(status))
                continue
            }
            guard !isStopping() else { throw CancellationError() }
            if let refused = known.first(where: { $0.source == source.path && $0.state == "failed" }), let mark = refused.mark,
                mark == LegacyStaging.mark(of: source.path)
            {
                statuses.append(refused)
                continue
            }
            let mark = LegacyStaging.mark(of: source.path)
            do {
                if staging == nil { staging = try LegacyStaging(directory: try stagingPath) }
                if let staging { statuses.append(try take(source, staging, after: Array(done.values) + statuses)) }
            } catch let error as CancellationError {
                throw error
            } catch ImportError.sourceMissing {
                statuses.append(LegacyStatus(source: source.path, state: "missing", reason: "there is no file; it is tried again"))
            } catch {
                statuses.append(LegacyStatus(source: source.path, state: "failed", reason: "\(error)", mark: Self.isOfTheFile(error) ? mark : nil))
            }
        }
        return statuses
    }

    /// Whether the same bytes are refused again, so that a large file is not copied every minute for nothing.
    private static func isOfTheFile(_ error: any Error) -> Bool {
        switch error {
        case let error as ImportError: return error.isOfTheFile
        case let error as SQLiteError: return ResultCode.corrupt ~= error.code || ResultCode.notADatabase ~= error.code
        case let error as DatabaseCopyFailure:
            if case .damaged = error.reason { return true }
            return false
        case StoreError.damaged, is StoreHeader.Fault: return true
        default: return false
        }
    }

    /// A source that was imported is not imported again; whether it went on since is worth knowing.
    private func seenAgain(_ status: LegacyStatus) -> LegacyStatus {
        guard let mark = status.mark, let now = LegacyStaging.mark(of: status.source), now != mark else { return status }
        var status = status
        status.reason = "it was written since it was imported; what came since is not here. A copy of it under another name can be a source too"
        return status
    }

    private func take(_ source: LegacyPlan.Source, _ staging: LegacyStaging, after others: [LegacyStatus]) throws -> LegacyStatus {
        progress(source.path, 0)
        let mark = LegacyStaging.mark(of: source.path)
        let staged = try staging.stage(source.path)
        let kind = try LegacyKind.of(staged)
        if let wanted = source.kind, wanted != kind {
            return LegacyStatus(
                source: source.path, state: "failed", reason: "it is of kind \(kind.rawValue), and the account file says \(wanted.rawValue)",
                mark: mark)
        }
        var options = LegacyImport.Options(store: storeOptions, schemaName: plan.schema.name)
        options.schema = schema
        options.mapping = source.mapping
        let result = try LegacyImport(target: directory.storePath, options: options).run(staged) { step in
            if isStopping() { throw CancellationError() }
            if case .rows(let count) = step { progress(source.path, count) }
        }
        let report = staged.directory + "/report.json"
        try result.report.json().write(to: URL(filePath: report), options: .atomic)
        var status = LegacyStatus(
            source: source.path, state: "imported", rows: result.outcome.insertedRows, report: report, digest: staged.digest, mark: mark)
        // The same bytes at two places; a run that was cut off after its import is the other way to find it done.
        if result.outcome.isRepeated, let other = others.first(where: { $0.digest == staged.digest && $0.source != source.path }) {
            status.rows = 0
            status.reason = "it has the same content as \(other.source)"
        } else if result.outcome.conflictingRows + result.outcome.unmappedRows > 0 {
            status.reason = "\(result.outcome.conflictingRows + result.outcome.unmappedRows) rows were kept out; see the report"
        }
        try record(status)
        return status
    }

    private var storeOptions: Store.Options {
        var options = Store.Options(zone: plan.zone)
        options.owner = plan.owner
        return options
    }

    // MARK: The record

    private static let prefix = LegacyImport.sourcePrefix

    /// What was imported by earlier starts, by source.
    func recorded() throws -> [String: LegacyStatus] {
        guard !plan.legacy.sources.isEmpty, let schema = try Store.schema(at: directory.storePath) else { return [:] }
        let store = try Store(path: directory.storePath, schema: schema, options: storeOptions)
        let decoder = JSONDecoder()
        return try store.settings(withPrefix: Self.prefix).reduce(into: [:]) { statuses, setting in
            guard let text = setting.value.text else { return }
            statuses[String(setting.key.dropFirst(Self.prefix.count))] = try decoder.decode(LegacyStatus.self, from: Data(text.utf8))
        }
    }

    private func record(_ status: LegacyStatus) throws {
        guard let schema = try Store.schema(at: directory.storePath) else { return }
        let store = try Store(path: directory.storePath, schema: schema, options: storeOptions)
        try store.set(.text(String(decoding: try JSONEncoder().encode(status), as: UTF8.self)), for: Self.prefix + status.source)
    }

    /// Drops staged copies that have been kept long enough.
    func expire(now: Date) throws {
        guard let keep = plan.legacy.keep, !plan.legacy.sources.isEmpty else { return }
        let staging = try LegacyStaging(directory: try stagingPath)
        for copy in try staging.stores() {
            let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
            guard let made = attributes[.modificationDate] as? Date, now.timeIntervalSince(made) > keep / .seconds(1) else { continue }
            try staging.remove(copy)
        }
    }
}
