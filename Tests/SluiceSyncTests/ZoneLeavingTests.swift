import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// What a device keeps of a zone that is no more.
@Suite struct ZoneLeavingTests {
    private static let entities: [Entity] = [
        Entity(
            "Shelf", attributes: [Attribute("title", .string, isOptional: true)],
            relationships: [Relationship("boxes", to: "Box", isToMany: true, inverse: "shelf", deleteRule: .cascade)]),
        Entity(
            "Box", attributes: [Attribute("text", .string, isOptional: true)],
            relationships: [Relationship("shelf", to: "Shelf", isOptional: false, inverse: "boxes")]),
        Entity("Note", attributes: [Attribute("text", .string, isOptional: true)]),
    ]

    /// Two shelves with a box each and a note, all of them synced.
    private func settled() throws -> DevicePair {
        let pair = try DevicePair(Self.entities)
        for shelf in ["s1", "s2"] {
            try pair.put(pair.a, "Shelf", shelf, ["title": .string(shelf)])
            try pair.put(pair.a, "Box", "b\(shelf)", ["text": .string("x")], to: ["shelf": shelf])
        }
        try pair.put(pair.a, "Note", "n", ["text": .string("first")])
        try pair.settle()
        return pair
    }

    private func names(_ device: DeviceDouble) throws -> [String] {
        var names: [String] = []
        try device.journal.forEachRecord { name, _, _ in names.append(name.text) }
        return names.sorted()
    }

    private func leave(_ device: DeviceDouble, _ reason: ZoneDeletionReason) throws -> PageSummary {
        try device.journal.leaveZone(reason, latestStamp: device.time.now)
    }

    @Test func `rows go, and what was not sent stays together with what it refers to`() throws {
        let pair = try settled()
        try pair.put(pair.a, "Box", "bs1", ["text": .string("edited")])
        try pair.put(pair.a, "Note", "new", ["text": .string("never sent")])
        let summary = try leave(pair.a, .deleted)
        #expect(try names(pair.a) == ["bs1", "new", "s1"])
        #expect(summary.deletedCount == 3)
        let entries = try pair.a.store.outboxEntries(limit: 10)
        #expect(Set(entries.map(\.name.text)) == ["bs1", "new", "s1"])
        #expect(entries.allSatisfy { $0.change == .insert && $0.state == .waiting })
        #expect(try pair.a.journal.token == nil)
    }

    @Test func `deletions that were not sent are told to nobody, and neither are old ones`() throws {
        let pair = try settled()
        try pair.delete(pair.a, "n")
        try pair.a.sync()
        try pair.delete(pair.a, "bs1")
        _ = try leave(pair.a, .deleted)
        #expect(try pair.a.store.outboxEntries(limit: 10).isEmpty)
        #expect(try names(pair.a).isEmpty)
        #expect(try pair.a.store.connection.integer("SELECT count(*) FROM _sluice_tombstone") == 0)
    }

    @Test func `after a purge what was not sent is set aside and says why; a new edit lets it go again`() throws {
        let pair = try settled()
        try pair.put(pair.a, "Note", "n", ["text": .string("edited")])
        _ = try leave(pair.a, .purged)
        #expect(try names(pair.a) == ["n"])
        let entry = try #require(try pair.a.store.outboxEntries(limit: 10).first)
        guard case .setAside(let reason) = entry.state else { throw TestFailure("\(entry.state)") }
        #expect(reason.contains("purged"))
        try pair.put(pair.a, "Note", "n", ["text": .string("edited again")])
        #expect(try pair.a.store.outboxEntries(limit: 10).map(\.state) == [.waiting])
    }

    @Test func `what a person gives up of a deleted zone is gone, and readable in history`() throws {
        let pair = try settled()
        try pair.put(pair.a, "Note", "n", ["text": .string("edited")])
        let row = try #require(try pair.a.store.row(named: RecordName("n")))
        _ = try leave(pair.a, .deleted)
        _ = try pair.a.journal.forgetZone(latestStamp: pair.a.time.now)
        #expect(try names(pair.a).isEmpty && pair.a.store.outboxEntries(limit: 10).isEmpty)
        let text = try #require(pair.a.store.layout.tables[row.table].columns.firstIndex { $0.attribute?.name == "text" })
        let deletion = try #require(try pair.a.store.changes(after: 0, limit: 1_000).last { $0.kind == .delete && $0.row == row })
        #expect(try pair.a.store.oldValue(table: row.table, column: text, at: deletion.sequence) == .text("edited"))
        #expect(try pair.a.store.syncValue(.deletedZone)?.text == nil)
    }

    @Test func `a device that is ended while it takes leave does so at its next start`() throws {
        let pair = try settled()
        try pair.put(pair.a, "Note", "n", ["text": .string("edited")])
        try pair.a.journal.beginFullFetch(.zoneDeleted)
        // The feed of a zone that is not there is asked without a token then.
        let failure = RequestFailure(ServerError(.zoneNotFound, "", deletionReason: .deleted), ofFeedWith: nil, knowsZone: try pair.a.journal.knowsZone, epoch: Epoch(rawValue: 1))
        #expect(failure == .zoneDeleted(.deleted, isBack: false))
        _ = try leave(pair.a, .deleted)
        #expect(try names(pair.a) == ["n"])
    }

    /// What a service's word for a zone means, by what this device knows.
    @Test func `a zone that a service with a timeline never heard of was lost, one that CloudKit does not find was deleted`() {
        func failure(_ error: ServerError, token: String? = "t", knowsZone: Bool = true, epoch: Epoch? = Epoch(rawValue: 1)) -> RequestFailure {
            RequestFailure(error, ofFeedWith: token, knowsZone: knowsZone, epoch: epoch)
        }
        let missing = ServerError(.zoneNotFound, "")
        #expect(failure(missing) == .tokenExpired(sameTimeline: false))
        #expect(failure(missing, epoch: nil) == .zoneDeleted(.deleted, isBack: false))
        #expect(failure(missing, token: nil, knowsZone: false) == .zoneNotFound)
        #expect(failure(ServerError(.zoneNotFound, "", deletionReason: .purged), token: nil, knowsZone: false) == .zoneNotFound)
        #expect(failure(ServerError(.changeTokenExpired, "", deletionReason: .purged)) == .zoneDeleted(.purged, isBack: true))
    }
}

private struct TestFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
