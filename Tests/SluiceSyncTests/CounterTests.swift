import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// Fields that are counted: each addition once, whatever happens to the requests that carry it.
@Suite struct CounterTests {
    static let entities: [Entity] = [
        Entity(
            "Page",
            attributes: [
                Attribute("visits", .int64, defaultValue: .integer(0)), Attribute("stock", .int16, isOptional: true), Attribute("text", .string, isOptional: true),
            ]),
        Entity("Day", attributes: [Attribute("date", .string), Attribute("steps", .int64, defaultValue: .integer(0))], identity: ["date"]),
    ]
    static let policies = MergePolicies([
        "Page": EntityMergePolicy(fields: ["visits": .counter, "stock": .counter]), "Day": EntityMergePolicy(fields: ["steps": .counter]),
    ])

    private let pair: DevicePair

    init() throws { pair = try DevicePair(Self.entities, policies: Self.policies) }

    private func visits(_ device: DeviceDouble, _ name: String = "1") throws -> Int64? {
        guard case .integer(let number)? = try pair.row(device, name)?.attributes["visits"] else { return nil }
        return number
    }

    private func add(_ number: Int64, on device: DeviceDouble) throws {
        try pair.put(device, "Page", "1", ["visits": .integer((visits(device) ?? 0) + number)])
    }

    private func begin(_ number: Int64 = 10) throws {
        try pair.put(pair.a, "Page", "1", ["visits": .integer(number)])
        try pair.settle()
    }

    /// All three hold that number.
    private func expectVisits(_ number: Int64) throws {
        try pair.settle()
        #expect(try [visits(pair.a), visits(pair.b)] == [number, number])
        #expect(pair.zone.live.first { $0.recordType == "Page" }?.fields["visits"]?.value == .int64(number))
    }

    @Test func `two devices that add without seeing each other add up, and again, also where both come to the same number`() throws {
        try begin()
        for round in 1...3 {
            try add(1, on: pair.a)
            try add(1, on: pair.b)
            try expectVisits(10 + 2 * Int64(round))
        }
        try add(5, on: pair.a)
        try add(-3, on: pair.b)
        try expectVisits(18)
    }

    @Test func `a device that is behind adds on top of what others added meanwhile, more than once`() throws {
        try begin()
        try add(1, on: pair.b)
        for _ in 0..<3 {
            try add(1, on: pair.a)
            try pair.a.sync()
            pair.b.lostRequests = 1
            try pair.b.sync()
            try add(1, on: pair.b)
        }
        try expectVisits(17)
    }

    @Test func `24 I-2 a lost answer counts once, whether it is repeated, or another device wrote on top of it first`() throws {
        try begin()
        try add(1, on: pair.a)
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try add(2, on: pair.a)
        try pair.b.sync()
        #expect(try visits(pair.b) == 11)
        try add(10, on: pair.b)
        try pair.b.sync()
        try expectVisits(23)
    }

    @Test func `24 I-2 what the service did and has forgotten counts once, with what was added since`() throws {
        try begin()
        try add(1, on: pair.a)
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try add(2, on: pair.a)
        pair.zone.forgetOperations()
        pair.pass(8 * 86_400_000)
        try pair.a.wake()
        try expectVisits(13)
    }

    @Test func `what never arrived and is given up counts once`() throws {
        try begin()
        try add(1, on: pair.a)
        pair.a.lostRequests = 1
        try pair.a.sync()
        try add(2, on: pair.a)
        try add(10, on: pair.b)
        try pair.b.sync()
        pair.pass(8 * 86_400_000)
        try pair.a.wake()
        try expectVisits(23)
    }

    @Test func `I-2 killed between each two steps, everything counts once`() throws {
        for steps in 0..<24 {
            let pair = try DevicePair(Self.entities, policies: Self.policies)
            func add(_ number: Int64, _ device: DeviceDouble) throws {
                guard case .integer(let now)? = try pair.row(device, "1")?.attributes["visits"] else { return }
                try pair.put(device, "Page", "1", ["visits": .integer(now + number)])
            }
            try pair.put(pair.a, "Page", "1", ["visits": .integer(0)])
            try pair.settle()
            try add(1, pair.b)
            try pair.b.sync()
            try add(10, pair.a)
            try pair.a.ask()
            try pair.a.run(steps: steps) { _ in 0 }
            try add(100, pair.a)
            try pair.a.crash()
            try add(1_000, pair.b)
            try pair.settle()
            #expect(try pair.row(pair.b, "1")?.attributes["visits"] == .integer(1_111), "after \(steps) steps")
        }
    }

    @Test func `two devices that make the record of one key add up, each from the default`() throws {
        for (device, steps) in [(pair.a, 300), (pair.b, 40)] as [(DeviceDouble, Int64)] {
            _ = try device.store.write {
                try device.store.put("Day", name: nil, RowEdit(attributes: ["date": .string("monday"), "steps": .integer(steps)]))
            }
        }
        try pair.settle()
        for device in [pair.a, pair.b] {
            var steps: [PropertyValue?] = []
            try device.store.forEachRow(of: device.store.concreteEntity("Day")) { steps.append($0.attributes["steps"]) }
            #expect(steps == [.integer(340)])
        }
    }

    @Test func `imported on both devices, a number counts once, and what people added since is added`() throws {
        for (device, more) in [(pair.a, 1), (pair.b, 2)] as [(DeviceDouble, Int64)] {
            _ = try device.store.write(.import) {
                try device.store.put("Page", name: RecordName("1"), RowEdit(attributes: ["visits": .integer(7)]))
            }
            try add(more, on: device)
        }
        try expectVisits(10)
    }

    @Test func `an empty counter counts from nothing, so two devices that set it add up`() throws {
        try begin()
        try pair.put(pair.a, "Page", "1", ["stock": .integer(5)])
        try pair.put(pair.b, "Page", "1", ["stock": .integer(7)])
        try pair.settle()
        #expect(try pair.row(pair.a, "1")?.attributes["stock"] == .integer(12))
        // What one empties and the other adds to is decided like any other field.
        try pair.put(pair.a, "Page", "1", ["stock": .null])
        pair.pass(1_000)
        try pair.put(pair.b, "Page", "1", ["stock": .integer(13)])
        try pair.settle()
        #expect(try pair.row(pair.a, "1")?.attributes["stock"] == .integer(13))
    }

    @Test func `a sum that its type cannot hold stays at the end of it`() throws {
        try begin()
        try pair.put(pair.a, "Page", "1", ["stock": .integer(30_000)])
        try pair.put(pair.b, "Page", "1", ["stock": .integer(30_000)])
        try pair.settle()
        #expect(try pair.row(pair.b, "1")?.attributes["stock"] == .integer(Int64(Int16.max)))
    }

    @Test func `a foreign client's number stands, and unsent additions go on top of it`() throws {
        try begin()
        try add(1, on: pair.a)
        pair.zone.foreignWrite("1", ["visits": Field(.int64(100))])
        try expectVisits(101)
    }

    @Test func `what a foreign client wrote without our metadata waits for the answer to what is on its way`() throws {
        try begin()
        try add(1, on: pair.a)
        pair.a.lostAnswers = 1
        try pair.a.sync()
        // It read 11, and wrote 20.
        pair.zone.foreignWrite("1", ["visits": Field(.int64(20)), RecordMapping.metadataField: Field(nil)])
        try add(2, on: pair.a)
        try expectVisits(22)
    }

    @Test func `what a service that was put back has lost comes back once, from whoever knows of it`() throws {
        try begin()
        let copy = pair.zone.snapshot()
        try add(1, on: pair.a)
        try pair.a.sync()
        try add(20, on: pair.b)
        try pair.settle()
        try add(300, on: pair.a)
        try pair.a.sync()
        pair.zone.restore(copy)
        try add(4_000, on: pair.b)
        try expectVisits(4_331)
        try add(1, on: pair.b)
        try expectVisits(4_332)
    }

    @Test(arguments: [true, false]) func `24 I-2 what an older copy of a device had not sent counts once, whether it was sent since or not`(
        isSent: Bool
    ) throws {
        try begin()
        try add(1, on: pair.a)
        var backup: StoreBackup?
        try pair.a.whileClosed { path in backup = try StoreBackup.make(of: path, label: "manual", at: pair.moment) }
        if isSent {
            try pair.a.sync()
            try add(10, on: pair.b)
            try pair.b.sync()
        }
        try pair.a.whileClosed { path in
            // The newer state is lost, so nothing here tells what was sent.
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
            _ = try backup?.restore(to: path, at: pair.moment)
        }
        try add(100, on: pair.a)
        try expectVisits(isSent ? 121 : 111)
    }

    @Test func `a copy of a store goes by another name once it is noticed, and both go on counting`() throws {
        try begin()
        try pair.a.crash()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: pair.a.folder, to: folder)
        let copy = try DeviceDouble(pair.zone, Self.entities, folder: folder, policies: Self.policies, seed: 3)
        copy.time.now = pair.a.time.now
        #expect(copy.journal.device == pair.a.journal.device)
        for _ in 0..<3 {
            try add(1, on: pair.a)
            try pair.a.sync()
        }
        try add(10, on: copy)
        try copy.sync()
        #expect(copy.journal.device != pair.a.journal.device)
        try expectVisits(23)
        try copy.sync()
        #expect(try visits(copy) == 23)
    }

    @Test func `a program without the policy leaves the count alone, and its own number stands`() throws {
        try begin()
        let plain = try DeviceDouble(pair.zone, Self.entities, seed: 4)
        plain.time.now = pair.a.time.now
        try plain.sync()
        try add(1, on: pair.a)
        try pair.a.sync()
        try plain.sync()
        try add(20, on: plain)
        try plain.sync()
        try add(300, on: pair.b)
        try expectVisits(331)
    }

    @Test func `only whole numbers of a record that do not make it what it is can be counted`() throws {
        let cases: [(String, String, ConflictPolicy)] = [("Page", "text", .counter), ("Day", "date", .counter), ("Nothing", "x", .counter)]
        for (entity, field, policy) in cases {
            #expect(throws: PolicyFault.self) {
                try DeviceDouble(ZoneDouble(), Self.entities, policies: MergePolicies([entity: EntityMergePolicy(fields: [field: policy])]), seed: 1)
            }
        }
        #expect(throws: PolicyFault.self) {
            try DeviceDouble(ZoneDouble(), Self.entities, policies: MergePolicies(["Page": EntityMergePolicy(conflicts: .counter)]), seed: 1)
        }
    }
}
