import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Owed edits where the service is not what it was, where what went comes back, and in any order of events.
@Suite struct OwedEditReturnTests: OwedEditing {
    let pair: DevicePair

    init() throws { pair = try OwedEdits.makePair() }

    // MARK: The service

    @Test func `what is owed reaches a service that was set back to an older copy`() throws {
        let older = zone.snapshot()
        try note("known", on: b)
        try pair.settle()
        try note("owed")
        try label("owed")
        try upgrade()
        zone.restore(older)
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
    }

    @Test func `a field that was cleared is not filled again where the service has to be sent the whole record`() throws {
        let older = zone.snapshot()
        try pair.put(a, "Person", "eve", ["name": .string("Eve"), "note": .string("old")])
        try pair.settle()
        try pair.put(a, "Person", "eve", ["note": .null])
        try upgrade()
        try pair.put(b, "Person", "eve", ["name": .string("Eva")])
        try b.sync()
        zone.refusals["eve"] = ServerError(.tryAgainLater, "busy")
        try a.sync()
        zone.refusals = [:]
        zone.restore(older)
        for _ in 0..<3 {
            try a.sync()
            pair.pass(400_000)
            try a.wake()
        }
        #expect(field("name", of: "eve") == .string("Eva"))
        #expect(field("note", of: "eve") == nil)
    }

    // MARK: What comes back

    @Test func `a field that comes back before its edit was sent has that edit on every device`() throws {
        try pair.put(b, "Person", "ada", ["name": .string("Augusta")])
        try b.sync()
        try note("owed")
        try label("owed")
        try upgrade()
        try a.upgrade(to: OwedEdits.whole, version: SchemaVersion(3, 0, 0))
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
        #expect(try pair.row(a, "ada")?.attributes["note"] == .string("owed"))
        #expect(try pair.row(a, "t")?.attributes["label"] == .string("owed"))
        #expect(try a.journal.digest().text == zone.digest())
    }

    @Test func `an edit of a field that came back stands before the one that was owed of it`() throws {
        try note("owed")
        try upgrade()
        try a.upgrade(to: OwedEdits.whole, version: SchemaVersion(3, 0, 0))
        try note("later")
        try pair.put(b, "Person", "ada", ["name": .string("Augusta")])
        try b.sync()
        try quiet()
        #expect(field("note") == .string("later"))
        #expect(try a.journal.digest().text == zone.digest())
    }

    @Test func `a field that came back and was cleared goes as cleared with a record that was never sent`() throws {
        try pair.put(a, "Person", "eve", ["name": .string("Eve"), "note": .string("x")])
        try upgrade()
        try a.upgrade(to: OwedEdits.whole, version: SchemaVersion(3, 0, 0))
        #expect(try pair.row(a, "eve")?.attributes["note"] == .string("x"))
        try pair.put(a, "Person", "eve", ["note": .null])
        try quiet()
        #expect(zone.entries["eve"] != nil && field("note", of: "eve") == nil)
        #expect(try pair.row(a, "eve")?.attributes["note"] == .null)
    }

    @Test func `an entity that comes back while an edit of its record is refused has the record all the same`() throws {
        zone.refusals["t"] = ServerError(.badRequest, "no")
        try label("owed")
        try a.sync()
        try upgrade()
        try a.upgrade(to: OwedEdits.whole, version: SchemaVersion(3, 0, 0))
        for _ in 0..<2 { try a.sync() }
        #expect(try pair.row(a, "t") != nil)
        zone.refusals = [:]
        try a.store.retry(RecordName("t"))
        try quiet()
        #expect(try pair.row(a, "t")?.attributes["label"] == .string("owed"))
    }

    // MARK: Older stores

    @Test func `a store from before anything could be owed is migrated like any other`() throws {
        try note("owed")
        try a.whileClosed { path in
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.execute("DROP TABLE _sluice_owed; DROP TABLE _sluice_departed")
        }
        try a.store.connection.execute("DROP TABLE IF EXISTS _sluice_owed; DROP TABLE IF EXISTS _sluice_departed")
        try upgrade()
        try quiet()
        #expect(field("note") == .string("owed"))
    }

    // MARK: Any order

    @Test(arguments: 0..<60) func `the latest edit of what goes is what the service has in the end, whatever came between`(seed: UInt64) throws {
        let random = SeededRandom(seed &* 7 &+ 5)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        var latest: [String: String] = [:]
        var isUpgraded = false
        for step in 0..<30 {
            pair.pass(1_000)
            let device = below(2) == 0 ? a : b
            let mayEdit = device === b || !isUpgraded
            switch below(10) {
            case 0 where !isUpgraded && step > 8:
                try upgrade()
                isUpgraded = true
            case 1: device.lostAnswers = below(2)
            case 2: device.lostRequests = below(2)
            case 3: zone.refusals = below(2) == 0 ? ["ada": ServerError(.tryAgainLater, "busy")] : ["t": ServerError(.tryAgainLater, "busy")]
            case 4, 5:
                try device.sync()
                zone.refusals = [:]
            case 6: try pair.put(device, "Person", "ada", ["name": .string("name \(step)")])
            case 7 where mayEdit:
                try note("note \(step)", on: device)
                latest["note"] = "note \(step)"
            default:
                guard mayEdit else { continue }
                try label("label \(step)", on: device)
                latest["label"] = "label \(step)"
            }
        }
        if !isUpgraded { try upgrade() }
        zone.refusals = [:]
        try quiet()
        #expect(field("note") == .string(latest["note"] ?? "old"), "seed \(seed)")
        #expect(field("label", of: "t") == .string(latest["label"] ?? "red"), "seed \(seed)")
    }
}
