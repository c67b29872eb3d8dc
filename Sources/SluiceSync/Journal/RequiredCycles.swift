// Records that require each other, in a circle, and those that require one of them: none can be first. Where everything that they require has
// come with them they are written as a set, first without their references; the next pass fills those in, in the same transaction.

import SluiceRecords
import SluiceSchema
import SluiceStore

struct RequiredCycles {
    /// Records looked at together; more wait for the next feed.
    private static let countMax = 100_000

    private var waiting: [RecordName: Int] = [:]
    private var requirers: [RecordName: [RecordName]] = [:]
    private var unmet: [RecordName] = []

    /// Notes what a record that waits requires and does not find.
    mutating func add(_ name: RecordName, requiring targets: [RecordName]) {
        guard waiting.count < Self.countMax else { return unmet.append(name) }
        waiting[name] = targets.count
        for target in targets { requirers[target, default: []].append(name) }
    }

    /// The records whose requirements are all among them.
    mutating func closed() -> Set<RecordName> {
        var queue = unmet + requirers.keys.filter { waiting[$0] == nil }
        while let gone = queue.popLast() {
            waiting[gone] = nil
            for name in requirers.removeValue(forKey: gone) ?? [] where waiting[name] != nil { queue.append(name) }
        }
        return Set(waiting.keys)
    }
}

extension InboxResolution {
    /// Writes the circles among what still waits, and returns their records.
    func writeCycles(_ applier: inout RecordApplier) throws -> Set<RecordName> {
        var cycles = RequiredCycles()
        try forEach { entry, record in
            guard !record.isDeleted, try !isWritten(record), let incoming = journal.mapping.incoming(record) else { return }
            let targets = try missingRequirements(of: incoming)
            if !targets.isEmpty { cycles.add(entry.name, requiring: targets) }
        }
        let closed = cycles.closed()
        guard !closed.isEmpty else { return [] }
        applier.clearsMissingReferences = true
        applier.clearsRequiredReferences = true
        defer { (applier.clearsMissingReferences, applier.clearsRequiredReferences) = (false, false) }
        try forEach { entry, record in
            guard closed.contains(entry.name) else { return }
            try applier.apply(record, evenIfKnown: true, keepsWaiting: true)
        }
        return closed
    }

    /// Takes rows of a circle that did not close after all out of sight again.
    func withdraw(_ names: Set<RecordName>) throws {
        guard !names.isEmpty else { return }
        try forEach { entry, record in
            guard names.contains(entry.name), let incoming = journal.mapping.incoming(record),
                let row = try journal.store.row(named: entry.name), try !missingRequirements(of: incoming).isEmpty
            else { return }
            try journal.store.deleteRow(row)
        }
    }

    private func missingRequirements(of incoming: RecordMapping.Incoming) throws -> [RecordName] {
        try incoming.entity.columns.compactMap { column in
            guard incoming.entity.requiresReference(inColumn: column), case .reference(let target?)? = incoming.cells[column] else { return nil }
            return try journal.store.row(named: target) == nil ? target : nil
        }
    }
}
