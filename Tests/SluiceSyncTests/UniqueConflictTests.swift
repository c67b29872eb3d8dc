import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceStore
import Testing

@testable import SluiceSync

@Suite struct UniqueConflictTests {
    let pair: DevicePair

    init() throws { pair = try DevicePair() }

    @Test func `two records changed to one unique value become the smaller one, with the references of both`() throws {
        try pair.put(pair.a, "Shelf", "s", ["title": .string("s")])
        for name in ["t1", "t2"] {
            try pair.put(pair.a, "Tag", name, ["label": .string(name)])
            try pair.put(pair.a, "Box", "box-\(name)", to: ["shelf": "s"], with: ["tags": [name]])
        }
        try pair.settle()
        try pair.put(pair.a, "Tag", "t1", ["label": .string("same")])
        try pair.put(pair.b, "Tag", "t2", ["label": .string("same")])
        try pair.a.sync()
        try pair.settle()
        #expect(pair.live("Tag") == ["t1"])
        #expect(pair.live("Box_tags").count == 2)
    }

    @Test func `two records that exchange their unique values are no conflict`() throws {
        for name in ["t1", "t2"] { try pair.put(pair.a, "Tag", name, ["label": .string(name)]) }
        try pair.settle()
        for (name, label) in [("t1", "free"), ("t2", "t1"), ("t1", "t2")] { try pair.put(pair.a, "Tag", name, ["label": .string(label)]) }
        try pair.settle()
        #expect(pair.live("Tag") == ["t1", "t2"])
        #expect(try pair.row(pair.b, "t1")?.attributes["label"] == .string("t2"))
    }

    @Test func `three records of one unique value end as one`() throws {
        let c = try DeviceDouble(pair.zone, RunSchema.entities, seed: 3)
        for (device, name) in [(pair.a, "t3"), (pair.b, "t1"), (c, "t2")] {
            try pair.put(device, "Tag", name, ["label": .string("same"), "text": .string(name)])
            device.time.now += 1_000
        }
        for _ in 0..<4 { for device in [c, pair.b, pair.a] { try device.sync() } }
        try pair.settle()
        try c.sync()
        #expect(pair.live("Tag") == ["t1"])
        #expect(try c.journal.digest().text == pair.zone.digest())
    }

    @Test func `a tag deleted here does not take along one made elsewhere with its label`() throws {
        try pair.put(pair.a, "Tag", "t1", ["label": .string("l")])
        try pair.settle()
        try pair.delete(pair.a, "t1")
        try pair.put(pair.a, "Tag", "t2", ["label": .string("l")])
        try pair.settle()
        #expect(pair.live("Tag") == ["t2"])
    }

    @Test func `a tag that was deleted so long ago that its tombstone is forgotten takes none along that was made since with its label`() throws {
        try pair.put(pair.a, "Tag", "t1", ["label": .string("l")])
        try pair.put(pair.a, "Tag", "other", ["label": .string("other")])
        try pair.settle()
        try pair.delete(pair.b, "t1")
        try pair.b.sync()
        pair.zone.forgetTombstones()
        try pair.put(pair.b, "Tag", "t2", ["label": .string("l"), "text": .string("later")])
        try pair.b.sync()
        try pair.settle()
        #expect(pair.a.fullFetchCount > 0)
        #expect(pair.live("Tag") == ["other", "t2"])
        #expect(try pair.row(pair.a, "t2")?.attributes["text"] == .string("later"))
        #expect(try pair.row(pair.a, "t1") == nil)
    }
}
