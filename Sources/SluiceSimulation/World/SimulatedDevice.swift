// One device: the real core, exchange, journal and store over files of its own. It has no clock and no thread; the simulation calls it.

import Foundation
import SluiceGroup
import SluiceRecords
package import SluiceSchema
import SluiceSQLite
package import SluiceStore
package import SluiceSync

/// The process ended in the middle of a transaction.
struct ProcessDeath: Error {}

package final class SimulatedDevice {
    package let index: Int
    let folder: URL
    let clock: DeviceClock
    let random: SeededRandom
    private let service: SimulatedService
    let seams: Seams

    /// Nil while no process runs.
    package private(set) var store: Store?
    package private(set) var exchange: SyncExchange?
    package internal(set) var core = SyncCore()
    /// Counts processes: what belongs to an earlier one finds nobody.
    private(set) var process = 0
    /// What the core has asked for and has not been told of, waits apart.
    var outstanding: [SyncEffect] = []
    /// Answers that have come and are not recorded yet.
    var unrecorded: [(effect: SyncEffect, answer: ExchangeAnswer)] = []
    /// Whose token it has.
    var user = 0
    var version = 1
    /// The device that its token was issued to; a copy of a device has the token of the first.
    var holder: Int
    var fullUntil: Int64 = 0
    /// Questions of SQLite's virtual machine until the process ends; nil: it lives on.
    var questionsLeft: Int64?
    var backup: StoreBackup?
    var tokenIsRevoked = false
    /// Counts how often each operation was sent.
    var attempts: [String: Int] = [:]
    private var helper: LocalStoreWriter?
    /// What its store is on while a process has it open; nil: on one that never fails and never loses power.
    private var disk: SimulatedDisk?
    private let hasFallibleDisk: Bool
    /// The death that comes next takes the power along.
    var losesPower = false

    /// - Parameter hasFallibleDisk: whether the power may go, and writes may fail; otherwise nothing is synced, which takes less time.
    init(
        index: Int, folder: URL, clock: DeviceClock, random: SeededRandom, service: SimulatedService, seams: Seams, hasFallibleDisk: Bool
    ) throws {
        self.index = index
        self.hasFallibleDisk = hasFallibleDisk
        holder = index
        self.folder = folder
        self.clock = clock
        self.random = random
        self.service = service
        self.seams = seams
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    var path: String { folder.appending(path: "Private.store").path }
    package var journal: SyncJournal? { exchange?.journal }
    var isUp: Bool { store != nil }
    var schema: Schema {
        get throws { try Schema(name: "z", version: RunSchema.version(version), validating: version > 1 ? RunSchema.nextEntities : RunSchema.entities) }
    }

    private var options: Store.Options {
        var options = Store.Options(zone: "z")
        let (clock, random) = (clock, random)
        options.now = { Date(timeIntervalSince1970: Double(clock.now) / 1_000) }
        options.random = RandomSource { random.next() }
        return options
    }

    // MARK: The process

    /// Opens the store. The caller tells the core.
    func start() throws {
        process += 1
        // The file says which program wrote it last; an older copy is brought to this program's version, as at any start.
        if let held = try Store.schema(at: path), held.version != (try schema).version { try migrate() }
        let opened = try Store(path: path, schema: schema, options: options)
        if hasFallibleDisk {
            let disk = SimulatedDisk()
            try opened.connection.observeFiles(disk)
            self.disk = disk
        } else {
            // A crash is a process that ends; what is committed is never lost to power.
            try opened.connection.execute("PRAGMA synchronous = OFF")
        }
        let random = random
        let journal = try SyncJournal(store: opened, zone: SimulatedService.zone, policies: RunSchema.policies, random: RandomSource { random.next() })
        store = opened
        exchange = SyncExchange(journal)
        core = SyncCore()
        try seams.willStart(self)
    }

    /// What is on disk is all that is left.
    func stop() throws {
        let lost = unrecorded
        (outstanding, unrecorded, questionsLeft, losesPower) = ([], [], nil, false)
        if store != nil { try seams.died(self, unrecorded: lost) }
        helper = nil
        store = nil
        exchange = nil
        disk = nil
        core = SyncCore()
    }

    /// The process ends, and with it everything that no sync has put on the platters.
    func losePower() throws {
        guard let disk, let connection = store?.connection else { return try stop() }
        let files = [(ObservedFile.database, path), (.log, path + "-wal")]
        let images = try files.map { disk.survivors(of: $0.0, contents: try connection.contents(of: $0.0), random) }
        // Closing writes the log into the database, which nobody did.
        try stop()
        for ((_, path), image) in zip(files, images) { try image.write(to: URL(filePath: path)) }
        let index = path + "-shm"
        if FileManager.default.fileExists(atPath: index) { try FileManager.default.removeItem(atPath: index) }
    }

    /// Fails writes of the store after so many have passed; nil: none any more.
    func failWrites(after count: Int64?) { if let count { disk?.fail(after: count) } else { disk?.heal() } }
    /// Whether writes failed since this was last asked.
    func hadFailedWrites() -> Bool { (disk?.takeFailureCount() ?? 0) > 0 }

    /// The event that a core begins with.
    func started() throws -> [SyncEvent] {
        guard let store, let journal else { return [] }
        let isPaused = try store.syncValue(.paused)?.integer == 1
        return (isPaused ? [.pause] : []) + [try journal.started()]
    }

    /// Brings the file to the schema of this program.
    private func migrate() throws {
        var upgrade = StoreUpgrade(path: path, wanted: try schema, options: options)
        upgrade.companion = SyncedUpgrade(zone: SimulatedService.zone, latestStamp: clock.now + SyncExchange.clockTolerance)
        _ = try upgrade.run()
    }

    // MARK: The disk

    /// Runs a store step on the disk as it is at the moment.
    /// - Throws: `ProcessDeath` where the process ends in its middle.
    func onDisk<Result>(at world: Int64, _ body: () throws -> Result) throws -> Result {
        guard let store else { throw ProcessDeath() }
        if world < fullUntil {
            // SQLite says so before it has written anything, or after a part; what a transaction wrote is undone in both cases.
            let usual = store.connection.onWriteLock
            store.connection.onWriteLock = { _ in throw SQLiteError(code: .full, message: "database or disk is full", path: "") }
            defer { store.connection.onWriteLock = usual }
            return try body()
        }
        guard questionsLeft != nil else { return try body() }
        var isDead = false
        store.connection.setInterruption(every: 5) {
            guard let left = self.questionsLeft else { return false }
            self.questionsLeft = left - 1
            isDead = left <= 0
            return isDead
        }
        defer { store.connection.setInterruption(nil) }
        do {
            let result = try body()
            if isDead { throw ProcessDeath() }
            return result
        } catch {
            // Whatever became of the interrupted statement, nobody is left to make something of it.
            if isDead { throw ProcessDeath() }
            throw error
        }
    }

    // MARK: The phase

    /// What it is doing.
    var phase: Phase {
        guard isUp else { return .down }
        return outstanding.lazy.compactMap(Phase.init).first ?? Phase(core.state)
    }

    func finished(_ effect: SyncEffect) { if let index = outstanding.firstIndex(of: effect) { outstanding.remove(at: index) } }

    // MARK: People

    func backUp() throws { backup = try StoreBackup.make(of: path, label: "manual", at: Date(timeIntervalSince1970: Double(clock.now) / 1_000)) }

    func restore(from backup: StoreBackup) throws {
        _ = try backup.restore(to: path, at: Date(timeIntervalSince1970: Double(clock.now) / 1_000))
    }

    /// Every row as text, by record and property.
    /// - Parameter wanted: an entity; nil for all.
    func rows(of wanted: String? = nil) throws -> [String: DeviceRow] {
        guard let store else { return [:] }
        var rows: [String: DeviceRow] = [:]
        for entity in store.layout.sortedEntities where !entity.isAbstract && !entity.isJoin && (wanted == nil || entity.name == wanted) {
            try store.forEachRow(of: entity) { row in
                var fields = row.attributes.compactMapValues(Self.text)
                for (name, target) in row.references { fields[name] = target.text }
                rows[row.name.text] = DeviceRow(entity: entity.name, fields: fields)
            }
        }
        return rows
    }

    /// As it is on every device: a date has whole milliseconds on the way. Nil where there is no value.
    private static func text(_ value: PropertyValue) -> String? {
        switch value {
        case .null: nil
        case .string(let text): ModelText.of(text)
        case .integer(let number): "\(number)"
        case .data(let bytes): String(decoding: bytes, as: UTF8.self)
        case .date(let date): "date \(Int64((date.timeIntervalSince1970 * 1_000).rounded()))"
        default: "\(value)"
        }
    }

    // MARK: Helpers

    /// Brings the local store up to date, and looks whether helpers see what the synced store holds.
    /// - Returns: what is wrong.
    func look() throws -> [String] {
        guard let store else { return [] }
        if helper == nil {
            helper = try LocalStoreWriter(
                group: GroupDirectory(preparing: folder.appending(path: "group").path, unixGroup: nil),
                projections: Projection.everything(in: store.layout.schema), privateStoreSchema: store.layout.schema)
        }
        guard let helper else { return [] }
        try helper.update(from: store)
        var wanted: [String: Int] = [:]
        for entity in store.layout.sortedEntities where !entity.isAbstract && !entity.isJoin {
            wanted[entity.name] = try store.exactCount(of: entity)
        }
        let seen = try helper.rowCounts()
        return seen == wanted ? [] : ["I-8 helpers of device \(index) see \(seen.sorted { $0.key < $1.key }), the store holds \(wanted.sorted { $0.key < $1.key })"]
    }
}

/// A row as a person would read it.
package struct DeviceRow: Hashable, Sendable {
    package let entity: String
    /// Without those that are empty.
    package let fields: [String: String]
}
