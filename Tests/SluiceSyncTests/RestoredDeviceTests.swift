import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// A device whose store was put back to an older state: it loses nothing and brings nothing back.
@Suite(.timeLimit(.minutes(10))) struct RestoredDeviceTests {
    private let pair: DevicePair

    init() throws {
        pair = try DevicePair()
        try pair.put(pair.a, "Note", "kept", ["text": .string("first")])
        try pair.put(pair.a, "Note", "gone", ["text": .string("first")])
        try pair.settle()
    }

    private func backUp() throws -> StoreBackup {
        var backup: StoreBackup?
        try pair.a.whileClosed { path in backup = try StoreBackup.make(of: path, label: "manual", at: pair.moment) }
        return try #require(backup)
    }

    @discardableResult
    private func restore(_ backup: StoreBackup, losingTheStore: Bool = false) throws -> RestoreResult {
        var result: RestoreResult?
        try pair.a.whileClosed { path in
            if losingTheStore { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
            result = try backup.restore(to: path, at: pair.moment)
        }
        return try #require(result)
    }

    private func text(_ name: String, on device: DeviceDouble) throws -> PropertyValue? { try pair.row(device, name)?.attributes["text"] }

    // MARK: What was sent since

    /// Everything that waits in the copy was sent, and changed or deleted since.
    private func sendAndChange() throws -> StoreBackup {
        try pair.put(pair.a, "Note", "kept", ["text": .string("second")])
        try pair.put(pair.a, "Note", "new", ["text": .string("new")])
        try pair.put(pair.a, "Note", "brief", ["text": .string("brief")])
        _ = try pair.a.store.write { try pair.a.store.put("Topic", name: nil, RowEdit(attributes: ["key": .string("k1")])) }
        try pair.delete(pair.a, "gone")
        let backup = try backUp()
        try pair.settle()
        // One goes back to what it was, one goes, one that was deleted comes again.
        try pair.put(pair.b, "Note", "kept", ["text": .string("first")])
        try pair.delete(pair.b, "brief")
        try pair.put(pair.b, "Note", "gone", ["text": .string("again")])
        try pair.settle()
        return backup
    }

    @Test func `what an old copy still wanted to send, and what was sent, changed and deleted since, stays as the service has it`() throws {
        let backup = try sendAndChange()
        let before = try pair.zone.digest()
        let device = pair.a.journal.device
        #expect(try restore(backup).isSynced)
        // Another device, as far as anybody can tell.
        #expect(pair.a.journal.device != device)
        try pair.settle()
        #expect(try pair.zone.digest() == before)
        #expect(try text("kept", on: pair.a) == .string("first"))
        #expect(try text("gone", on: pair.a) == .string("again"))
        #expect(try pair.row(pair.a, "brief") == nil)
    }

    @Test func `the same where the service has forgotten tombstones, and everything is fetched anew`() throws {
        let backup = try sendAndChange()
        let before = try pair.zone.digest()
        pair.zone.forgetTombstones()
        try restore(backup)
        try pair.settle()
        #expect(pair.a.fullFetchCount == 1)
        #expect(try pair.zone.digest() == before)
        #expect(try pair.row(pair.a, "brief") == nil)
    }

    @Test func `where the newer store is lost, what may have been sent yields to every edit and every deletion since`() throws {
        let backup = try sendAndChange()
        try restore(backup, losingTheStore: true)
        try pair.settle()
        #expect(try text("gone", on: pair.b) == .string("again"))
        #expect(try text("new", on: pair.b) == .string("new"))
        #expect(pair.live("Note") == ["gone", "kept", "new"])
    }

    // MARK: What was not

    @Test func `what an old copy wanted to send and what never was sent is sent`() throws {
        try pair.put(pair.a, "Note", "kept", ["text": .string("second")])
        try pair.put(pair.a, "Note", "new", ["text": .string("new")])
        try pair.delete(pair.a, "gone")
        for losingTheStore in [false, true] {
            let backup = try backUp()
            try pair.put(pair.a, "Note", "later", ["text": .string("later")])
            try pair.put(pair.a, "Note", "kept", ["text": .string("third")])
            let result = try restore(backup, losingTheStore: losingTheStore)
            #expect(result.unsentCount == (losingTheStore ? 0 : 2))
        }
        try pair.settle()
        #expect(pair.live("Note") == ["kept", "new"])
        #expect(try text("kept", on: pair.b) == .string("second"))
    }

    @Test(arguments: [false, true]) func `I-1 an edit of before the copy that was merged with another's since, and not sent, is sent`(isSent: Bool) throws {
        let pair = try DevicePair(policies: RunSchema.policies)
        func score(_ value: Int64, _ device: DeviceDouble) throws { try pair.put(device, "Card", "card", ["score": .integer(value)]) }
        try score(4, pair.a)
        try pair.settle()
        try score(11, pair.a)
        var made: StoreBackup?
        try pair.a.whileClosed { path in made = try StoreBackup.make(of: path, label: "manual", at: pair.moment) }
        let backup = try #require(made)
        try score(5, pair.b)
        try pair.b.sync()
        // The best of both, put together here; it arrives or not.
        if !isSent { pair.a.lostRequests = 1 }
        try pair.a.sync()
        if isSent {
            try pair.settle()
            try pair.put(pair.b, "Card", "card", ["score": .integer(2)])
            try pair.b.sync()
        }
        pair.a.lostRequests = 0
        try pair.a.whileClosed { path in _ = try backup.restore(to: path, at: pair.moment) }
        try pair.settle()
        let scores = try [pair.a, pair.b].map { try pair.row($0, "card")?.attributes["score"] }
        #expect(scores == [.integer(isSent ? 2 : 11), .integer(isSent ? 2 : 11)])
    }

    @Test func `an operation that was on its way is not sent again under its id, and has its effect once`() throws {
        try pair.put(pair.a, "Note", "new", ["text": .string("new")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        let operations = try pair.a.store.frozenOperations().map(\.id)
        #expect(operations.count == 1)
        let backup = try backUp()
        pair.pass(400_000)
        try pair.settle()
        try pair.put(pair.b, "Note", "new", ["text": .string("newer")])
        try pair.settle()
        let received = pair.zone.received
        try restore(backup)
        try pair.settle()
        #expect(operations.allSatisfy { pair.zone.received[$0] == received[$0] })
        #expect(try text("new", on: pair.a) == .string("newer"))
        #expect(pair.live("Note") == ["gone", "kept", "new"])
    }

    @Test func `a pause stays, and a record that was deleted before it was ever sent comes back and is sent`() throws {
        try pair.put(pair.a, "Note", "unborn", ["text": .string("x")])
        let backup = try backUp()
        try pair.delete(pair.a, "unborn")
        try pair.settle()
        try pair.a.store.setSyncValue(.integer(1), for: .paused)
        try restore(backup)
        #expect(try pair.a.store.syncValue(.paused) == .integer(1))
        try pair.settle()
        #expect(try text("unborn", on: pair.b) == .string("x"))
    }

    // MARK: Any state

    @Test func `I-3, I-4, I-5: an older copy changes nothing on the service, whatever was done since and whatever it had not sent`() throws {
        for seed in UInt64(1)...15 {
            let pair = try DevicePair()
            let run = RestoreRun(pair: pair, random: SeededRandom(seed))
            let backup = try run.backUpAndGoOn()
            let before = pair.zone.entries
            try pair.a.whileClosed { path in _ = try backup.restore(to: path, at: pair.moment) }
            try pair.settle()
            for (name, entry) in pair.zone.entries {
                // What the service never heard of may come; what it knows stays as it is.
                guard let known = before[name] else { continue }
                #expect(known.record.isDeleted == entry.record.isDeleted, "seed \(seed), \(name)")
                #expect(known.record.values == entry.record.values, "seed \(seed), \(name)")
            }
            #expect(Set(before.keys).isSubset(of: pair.zone.entries.keys), "seed \(seed)")
        }
    }
}

/// Edits on two devices from one seed, with a backup of one of them on the way.
private struct RestoreRun {
    let pair: DevicePair
    let random: SeededRandom

    func backUpAndGoOn() throws -> StoreBackup {
        try edit(25)
        if random.chance(50) { try pair.settle() }
        try edit(10)
        if random.chance(30) {
            pair.a.lostAnswers = 1
            try pair.a.sync()
        }
        var backup: StoreBackup?
        try pair.a.whileClosed { path in backup = try StoreBackup.make(of: path, label: "manual", at: pair.moment) }
        try edit(25)
        pair.pass(400_000)
        try pair.settle()
        return try #require(backup)
    }

    private func edit(_ count: Int) throws {
        for step in 0..<count {
            let device = random.chance(50) ? pair.a : pair.b
            // An edit may ask for what a rule forbids; then nothing happened.
            do { try RunEdit.random(device.store, random, step: step).carryOut(on: device.store) } catch is StoreError { continue }
            if random.chance(25) { try device.sync() }
            pair.pass(1_000)
        }
    }
}

extension Record {
    /// Without word of who sent them.
    fileprivate var values: [String: Field] { fields.filter { $0.key != RecordMapping.metadataField } }
}

extension DevicePair {
    /// The moment by the devices' clocks.
    var moment: Date { Date(timeIntervalSince1970: Double(a.time.now) / 1_000) }
}
