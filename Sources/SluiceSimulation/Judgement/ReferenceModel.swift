// What the outcome has to be, said without any of the code that brings it about. The model knows what people did: which value each of them saw
// when they wrote another over it, when that was, and by a clock that was right or not. It knows no tags, no stamps, no tokens and no bases.
//
// - A value that somebody saw and wrote another over is gone. Of those that are left (two people wrote without seeing each other) one is
//   there at the end; and the one that was written last, where every clock was right.
// - A clock that is fast by more than five minutes gives no more than five minutes from the moment when the service took the value.
// - What a person deleted is gone; what nobody deleted is there.
// - What a person did on a device and the service never took may be lost only when that person puts an older copy in its place.

import Foundation
import SluiceRecords

/// The history of one run as people made it.
package final class ReferenceModel {
    private struct Write {
        let value: String
        let time: Int64
        /// Nil for a client that is no device.
        let device: Int?
        /// By a clock that was right, and by a person.
        let isTimely: Bool
        let isImport: Bool
        /// When the service first took it.
        var admitted: Int64?
        /// May be gone, since an older copy was put in the device's place.
        var isUncertain = false
        /// Who wrote over it knowing it.
        var successors: [Int] = []
    }

    private struct Deletion {
        let time: Int64
        let device: Int?
        var isAdmitted = false
        var isUncertain = false
    }

    private struct Fate {
        let entity: String
        var insertions: [Deletion] = []
        var deletions: [Deletion] = []
        /// The zone that it was in was deleted, and nobody has written it since.
        var mayBeGone = false
        /// Deleted and made anew under its name: which values belong to which is not this model's business.
        var isRenewed = false
        var writes: [String: [Write]] = [:]
        var additions: [Addition] = []
    }

    /// Somebody added to what is counted.
    private struct Addition {
        let number: Int64
        let time: Int64
        let device: Int
        var isUncertain = false
    }

    private var fates: [String: Fate] = [:]
    private var names: [String] = []
    /// Whether the later of two writes has to win.
    var laterWins = true
    /// Whether an import may lose to the value it was written over: it may once the service has forgotten which came after which, since
    /// nobody stamped it.
    var importsYield = false
    /// Whether what was deleted has to stay so; not while devices give a service back what it lost.
    var deletionsStay = true

    /// Whether everything that was counted has to be there once; not where a device was copied byte for byte, with what it had not sent.
    var countsAreExact = true
    /// How often the service lost its memory. A second time before all was in step again may cost additions, but doubles none.
    var restoreCount = 0

    init() {}

    /// Every record that people have had to do with, in the order in which they were met.
    var knownNames: [String] { names }
    func entity(of name: String) -> String? { fates[name]?.entity }

    /// Who writes.
    enum Author {
        case person
        /// A person whose clock is wrong.
        case personOutOfTime
        /// An import, which has no time of its own.
        case program
    }

    // MARK: What people do

    /// An edit on a device, seen from outside.
    func edited(_ before: [String: DeviceRow], _ after: [String: DeviceRow], device: Int, at time: Int64, by: Author, renewing: String? = nil) {
        // Cards are another model's business.
        for name in Set(before.keys).union(after.keys).sorted() where (before[name] ?? after[name])?.entity != CardModel.entity {
            switch (before[name], after[name]) {
            case (let old?, let new?):
                if renewing == name { change(name, old.entity) { $0.isRenewed = true } }
                added(name, old.entity, Self.count(new) - Self.count(old), device, time)
                for field in Set(old.fields.keys).union(new.fields.keys).sorted() where field != Self.counter && old.fields[field] != new.fields[field] {
                    wrote(name, old.entity, field, new.fields[field] ?? "", over: old.fields[field] ?? "", device, time, by)
                }
            case (nil, let new?):
                change(name, new.entity) { $0.insertions.append(Deletion(time: time, device: device)) }
                added(name, new.entity, Self.count(new), device, time)
                for (field, value) in new.fields.sorted(by: { $0.key < $1.key }) where field != Self.counter { wrote(name, new.entity, field, value, over: nil, device, time, by) }
            case (let old?, nil): change(name, old.entity) { $0.deletions.append(Deletion(time: time, device: device)) }
            case (nil, nil): continue
            }
        }
    }

    /// A write by a client without our metadata.
    func foreignWrite(_ name: String, entity: String, field: String, value: String, over old: String?, at time: Int64) {
        if fates[name] == nil { change(name, entity) { $0.insertions.append(Deletion(time: time, device: nil, isAdmitted: true)) } }
        wrote(name, entity, field, value, over: old, nil, time, .person)
    }

    func foreignDeletion(_ name: String, entity: String, at time: Int64) {
        change(name, entity) { $0.deletions.append(Deletion(time: time, device: nil, isAdmitted: true)) }
    }

    /// An older copy was put in the place of a device's store, or nothing: what the service has not taken of what was done there since may be gone.
    func restored(device: Int, to time: Int64) {
        for name in names {
            guard var fate = fates[name] else { continue }
            for (field, writes) in fate.writes {
                fate.writes[field] = writes.map { write in
                    var write = write
                    if write.device == device, write.time > time, write.admitted == nil { write.isUncertain = true }
                    return write
                }
            }
            func doubted(_ events: [Deletion]) -> [Deletion] {
                events.map { event in
                    var event = event
                    if event.device == device, event.time > time, !event.isAdmitted { event.isUncertain = true }
                    return event
                }
            }
            for index in fate.additions.indices where fate.additions[index].device == device && fate.additions[index].time > time {
                fate.additions[index].isUncertain = true
            }
            fate.insertions = doubted(fate.insertions)
            fate.deletions = doubted(fate.deletions)
            fates[name] = fate
        }
    }

    /// The zone was deleted, or purged: what the service had is gone, but on a device that had something of it to send. Which values that device knew is
    /// not this model's business.
    func zoneWent() {
        countsAreExact = false
        for name in names {
            change(name, "") { fate in
                fate.isRenewed = true
                fate.mayBeGone = fate.insertions.contains { $0.isAdmitted }
            }
        }
    }

    /// The service took a record as it is now; nil: its deletion.
    func admitted(_ name: String, fieldsJSON: Data?, at time: Int64) throws {
        guard var fate = fates[name] else { return }
        guard let fieldsJSON else {
            for index in fate.deletions.indices { fate.deletions[index].isAdmitted = true }
            fates[name] = fate
            return
        }
        for index in fate.insertions.indices { fate.insertions[index].isAdmitted = true }
        let fields = try [String: Field].decode(JSONValue(parsing: fieldsJSON))
        for (field, writes) in fate.writes {
            guard case .string(let text)? = fields[field]?.value else { continue }
            for (index, write) in writes.enumerated() where write.admitted == nil && write.value == ModelText.of(text) {
                fate.writes[field]?[index].admitted = time
            }
        }
        fates[name] = fate
    }

    private func change(_ name: String, _ entity: String, _ body: (inout Fate) -> Void) {
        if fates[name] == nil { names.append(name) }
        body(&fates[name, default: Fate(entity: entity)])
    }

    private func wrote(
        _ name: String, _ entity: String, _ field: String, _ value: String, over old: String?, _ device: Int?, _ time: Int64, _ author: Author
    ) {
        change(name, entity) { fate in
            var writes = fate.writes[field] ?? []
            let number = writes.count
            if let old, let seen = writes.lastIndex(where: { $0.value == old }) {
                writes[seen].successors.append(number)
            } else if old != nil, !writes.contains(where: { $0.value == "" }) {
                // Nobody ever wrote what was there: it was empty from the beginning.
                writes.append(Write(value: "", time: 0, device: nil, isTimely: true, isImport: false, admitted: 0, successors: [number + 1]))
            }
            writes.append(
                Write(
                    value: value, time: time, device: device, isTimely: author == .person, isImport: author == .program,
                    admitted: device == nil ? time : nil))
            fate.writes[field] = writes
        }
    }

    // MARK: Counting

    /// The field that is counted.
    private static let counter = "count"

    private static func count(_ row: DeviceRow) -> Int64 { row.fields[counter].flatMap(Int64.init) ?? 0 }

    private func added(_ name: String, _ entity: String, _ number: Int64, _ device: Int, _ time: Int64) {
        guard number != 0 else { return }
        change(name, entity) { $0.additions.append(Addition(number: number, time: time, device: device)) }
    }

    /// Everything that was added is there, once; of what an older copy of a device may have taken back, any part.
    private func miscount(_ name: String, _ fate: Fate, _ row: DeviceRow) -> String? {
        let isUncertain = { (addition: Addition) in addition.isUncertain || self.restoreCount > 1 }
        let certain = fate.additions.filter { !isUncertain($0) }.reduce(0) { $0 + $1.number }
        let sums = fate.additions.filter(isUncertain).reduce(into: [certain] as Set) { sums, addition in sums.formUnion(sums.map { $0 + addition.number }) }
        guard !sums.contains(Self.count(row)) else { return nil }
        return "I-2 \(fate.entity) \(name) counts \(Self.count(row)); people added \(fate.additions.map { "\($0.number)@\($0.time - Simulation.beginning)" })"
    }

    // MARK: The verdict

    /// What is not as it has to be.
    /// - Parameter rows: what all devices hold at the end.
    func faults(_ rows: [String: DeviceRow]) -> [String] {
        names.flatMap { name in fates[name].map { faults(name, $0, rows) } ?? [] }
    }

    private func faults(_ name: String, _ fate: Fate, _ rows: [String: DeviceRow]) -> [String] {
        guard let row = rows[name] else {
            if let reason = lost(name, fate, rows) { return [reason] }
            return []
        }
        if countsAreExact, fate.deletions.isEmpty, !fate.isRenewed, let reason = miscount(name, fate, row) { return [reason] }
        let certain = fate.deletions.filter { !$0.isUncertain }
        // What bears a natural key or was made anew under its name, another device may have made at the same time.
        guard fate.insertions.count < 2, !fate.isRenewed, fate.entity != "Topic" else { return [] }
        if let deletion = certain.first {
            // A copy that somebody still had: whatever it holds.
            guard deletionsStay else { return [] }
            return ["I-4 \(fate.entity) \(name), deleted at \(deletion.time - Simulation.beginning) ms, is back"]
        }
        // Two records that were one by a unique value have become one, by rules of their own.
        guard fate.entity != "Tag" else { return [] }
        return fate.writes.sorted { $0.key < $1.key }.compactMap { fault(name, $0.key, $0.value, row.fields[$0.key] ?? "") }
    }

    /// Why a record that is gone should be there; nil where it may be gone.
    private func lost(_ name: String, _ fate: Fate, _ rows: [String: DeviceRow]) -> String? {
        guard fate.deletions.isEmpty, !fate.mayBeGone, let insertion = fate.insertions.first(where: { !$0.isUncertain }) else { return nil }
        switch fate.entity {
        case "Tag":
            let labels = Set((fate.writes["label"] ?? []).map(\.value))
            let isMerged = fates.contains { $0.key != name && $0.value.entity == "Tag" && !labels.isDisjoint(with: ($0.value.writes["label"] ?? []).map(\.value)) }
            if isMerged { return nil }
        case "Box":
            // It goes with its shelf, whoever moved it there.
            if (fate.writes["shelf"] ?? []).contains(where: { rows[$0.value] == nil || fates[$0.value]?.deletions.isEmpty == false }) { return nil }
        default: break
        }
        return "I-1 \(fate.entity) \(name), made at \(insertion.time - Simulation.beginning) ms and deleted by nobody, is gone"
    }

    private func fault(_ name: String, _ field: String, _ writes: [Write], _ value: String) -> String? {
        let isReference = ["shelf", "box", "next", "topic"].contains(field)
        // A reference is empty when its target is gone, by whatever rule.
        if isReference, value.isEmpty { return nil }
        // What an import wrote over may be back, and what that was written over, and so on.
        if importsYield, writes.contains(where: \.isImport), writes.contains(where: { $0.value == value }) { return nil }
        let standing = writes.filter { write in write.successors.allSatisfy { writes[$0].isUncertain } }
        let bounded = standing.filter { write in !standing.contains { isBeyondDoubtLater($0, than: write) } }
        guard bounded.contains(where: { $0.value == value }) else {
            let allowed = bounded.map(\.value)
            return "I-1 \(name).\(field) is '\(value)'; people left \(allowed) of \(writes.map { "\($0.value)@\($0.time - Simulation.beginning)" })"
        }
        let certain = bounded.filter { !$0.isUncertain }
        guard laterWins, !isReference, bounded.allSatisfy(\.isTimely), certain.count == bounded.count, let last = bounded.map(\.time).max(),
            !bounded.contains(where: { $0.time == last && $0.value == value })
        else { return nil }
        return "I-1 \(name).\(field) is '\(value)', not what was written last: \(bounded.map { "\($0.value)@\($0.time - Simulation.beginning)" })"
    }

    /// The clock that was wrong gives a few minutes, and no more.
    private func isBeyondDoubtLater(_ write: Write, than other: Write) -> Bool {
        guard !other.isTimely, write.isTimely, !write.isUncertain, let admitted = other.admitted else { return false }
        return write.time > admitted + 302_000
    }
}

/// How the model writes values.
enum ModelText {
    static func of(_ text: String) -> String { "'\(text)'" }
}
