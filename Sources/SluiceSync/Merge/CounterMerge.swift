// Fields that are counted: what each device added is added up, and each addition once.
//
// An edit of a counted field is a difference, l − b: what is here now, less what the service last said. Merged with another version of the
// record it goes on top of that version's value r: r + (l − b). What may not happen is that r has it already. So every record says in its
// metadata what each device has added to each counted field in all, beside the number of that device's last operation in it.
//
// 1. r contains of this device's unsent edits what its metadata counts for this device beyond what this device knows to be acknowledged. That is
//    so where an operation had its effect and nobody heard the answer, whoever wrote on top of it since; it is taken off again.
// 2. A version without such metadata (a foreign client, a program without this policy) tells nothing. While an operation is on its way, the
//    record waits for the answer to that; then the difference is known.
// 3. Where the service lost its memory, r lacks what devices added since, this one and others. Each device whose operations are known here
//    further than there gets back what is missing; the joined metadata is sent with it, so that nobody gives it back twice.
// 4. The value that remains after 1 and 3, before this device's edit, is the base of the next merge.
// 5. An insertion counts from the attribute's default, or 0: two devices that make the same record add up. One by an import adds nothing.
// 6. What is beyond the attribute's range stays at its end.

import SluiceRecords

/// One counted field of one record, on both sides.
struct CounterMerge {
    let field: String
    let local: Int64
    /// nil where no person edited it here.
    let base: Int64?
    let remote: Int64
    /// What the service was last known to have; nil where that is nothing.
    let known: MergeMetadata?
    let theirs: MergeMetadata?
    /// Theirs, with what the service lost; nil where it lost nothing.
    let joined: MergeMetadata?
    let device: UInt64
    /// Whether an operation with this record may have had its effect unheard.
    let mayBeIncluded: Bool
    let range: ClosedRange<Int64>

    /// What is there without this device's unsent edits.
    var floor: Int64 { clamped(remote, adding: lost) }

    /// What is there with them.
    var value: Int64 { clamped(floor, adding: base.map { (local &- $0) &- included } ?? 0) }

    /// What of this device's unsent edits the service has already.
    private var included: Int64 {
        guard mayBeIncluded, let theirs, theirs.counters != nil,
            theirs.operations[device, default: 0] > known?.operations[device] ?? 0
        else { return 0 }
        return theirs.counted(field, by: device) &- (known?.counted(field, by: device) ?? 0)
    }

    /// What the service had and has no more.
    private var lost: Int64 {
        guard let joined, let theirs else { return 0 }
        let before = theirs.counters?[field]?.values.reduce(0, &+) ?? 0
        return (joined.counters?[field]?.values.reduce(0, &+) ?? 0) &- before
    }

    private func clamped(_ number: Int64, adding difference: Int64) -> Int64 {
        let (sum, overflows) = number.addingReportingOverflow(difference)
        return overflows ? (difference < 0 ? range.lowerBound : range.upperBound) : min(max(sum, range.lowerBound), range.upperBound)
    }
}

extension CounterMerge {
    /// What becomes of the field.
    func decision(_ cell: WireCell, against theirs: WireCell) -> FieldDecision {
        if value == floor {
            if floor == remote { return cell == theirs ? .same : .takeRemote }
            return .combine(base: .number(floor), value: .number(floor))
        }
        // Nothing came between.
        if floor == base, value == local { return .keepLocal }
        return .combine(base: .number(floor), value: .number(value))
    }
}

extension WireCell {
    /// The whole number that the cell holds; nil where it holds none.
    var number: Int64? {
        guard case .attribute(let wire) = self, case .int64(let number)? = wire.value else { return nil }
        return number
    }

    /// A cell with that number.
    static func number(_ number: Int64) -> WireCell { .attribute(WireValue(value: .int64(number))) }
}
