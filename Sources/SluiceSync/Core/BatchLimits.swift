import SluiceRecords

/// What the service allows in one request, and what batches are cut to now: less after a batch was refused, growing back with each success.
struct BatchLimits: Sendable {
    private(set) var allowed = ServiceLimits.cloudKit
    private(set) var current = ServiceLimits.cloudKit

    /// The service said what it takes.
    mutating func advertise(_ limits: ServiceLimits) { (allowed, current) = (limits, limits) }

    mutating func succeeded() { current.operations = min(allowed.operations, current.operations * 2) }

    /// A batch was too large, or held something that the service could not read: smaller and smaller ones find it.
    mutating func refused(memberCount: Int) {
        current = ServiceLimits(operations: max(1, min(current.operations, memberCount) / 2), bytes: current.bytes)
    }
}
