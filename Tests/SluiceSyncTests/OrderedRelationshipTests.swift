import Foundation
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

@Suite struct OrderedRelationshipTests {
    private static let entities: [Entity] = [
        Entity("Playlist", relationships: [Relationship("songs", to: "Song", isToMany: true, isOrdered: true, inverse: "playlist")]),
        Entity("Song", relationships: [Relationship("playlist", to: "Playlist", inverse: "songs")]),
    ]

    private func songs(_ device: DeviceDouble) throws -> [String] {
        let row = try #require(try device.store.row(named: RecordName("P")))
        let link = try #require(device.store.layout.entities["Playlist"]?.link(named: "songs"))
        return try device.store.related(to: row, over: link).compactMap { try device.store.name(of: $0)?.text }
    }

    @Test func `an order travels, and two devices that order at once end with the same one`() throws {
        let zone = ZoneDouble()
        let (a, b) = (try DeviceDouble(zone, Self.entities, seed: 1), try DeviceDouble(zone, Self.entities, seed: 2))
        let names = ["one", "two", "three", "four"].map { RecordName($0) }
        try a.store.write {
            for name in names { _ = try a.store.put("Song", name: name, RowEdit()) }
            _ = try a.store.put("Playlist", name: RecordName("P"), RowEdit(collections: ["songs": [names[2], names[0], names[3], names[1]]]))
        }
        try a.sync()
        try b.sync()
        #expect(try songs(b) == ["three", "one", "four", "two"])
        for (device, order) in [(a, [3, 2, 1, 0]), (b, [1, 0, 2, 3])] {
            try device.store.write {
                _ = try device.store.put("Playlist", name: RecordName("P"), RowEdit(collections: ["songs": order.map { names[$0] }]))
            }
            device.time.now += 1_000
        }
        for _ in 0..<3 { for device in [a, b] { try device.sync() } }
        #expect(try songs(a) == songs(b))
        #expect(try Set(songs(a)).count == 4)
        #expect(try a.journal.digest().text == zone.digest())
    }
}
