import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceStore
import Testing

@testable import SluiceSync

/// Two devices and a zone, with the schema of random runs where no other is given.
struct DevicePair {
    let zone = ZoneDouble()
    let a: DeviceDouble
    let b: DeviceDouble

    init(_ entities: [Entity] = RunSchema.entities, policies: MergePolicies = MergePolicies()) throws {
        a = try DeviceDouble(zone, entities, policies: policies, seed: 1)
        b = try DeviceDouble(zone, entities, policies: policies, seed: 2)
    }

    func put(
        _ device: DeviceDouble, _ entity: String, _ name: String, _ values: [String: PropertyValue] = [:],
        to references: [String: String?] = [:], with collections: [String: [String]] = [:]
    ) throws {
        let edit = RowEdit(
            attributes: values, references: references.mapValues { $0.map { RecordName($0) } },
            collections: collections.mapValues { $0.map { RecordName($0) } })
        _ = try device.store.write { try device.store.put(entity, name: RecordName(name), edit) }
    }

    func delete(_ device: DeviceDouble, _ name: String) throws {
        _ = try device.store.write { try device.store.delete(RecordName(name)) }
    }

    func row(_ device: DeviceDouble, _ name: String) throws -> StoredRow? { try device.store.storedRow(named: RecordName(name)) }

    func live(_ type: String) -> [String] { zone.live.filter { $0.recordType == type }.map(\.recordName).sorted() }

    /// Time passes everywhere.
    func pass(_ milliseconds: Int64) {
        zone.clock += milliseconds
        for device in [a, b] { device.time.now += milliseconds }
    }

    /// Syncs until all is quiet, and checks that all three hold the same.
    func settle() throws {
        for _ in 0..<4 {
            for device in [a, b] {
                try device.sync()
                pass(400_000)
                try device.wake()
            }
        }
        #expect(try Set([a.journal.digest().text, b.journal.digest().text, zone.digest()]).count == 1)
        for device in [a, b] {
            let summary = try device.store.outboxSummary(at: .max)
            #expect(summary.pendingCount + summary.frozenCount + summary.inboxCount + summary.parkedCount == 0)
            #expect(device.core.isQuiet)
        }
    }
}
