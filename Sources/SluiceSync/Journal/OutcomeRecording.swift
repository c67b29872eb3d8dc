// From the service's answer to what becomes of each member. Every element is looked at, whatever the HTTP status said.

import Foundation
package import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// What an answer did, for the core and for status.
package struct OutcomeSummary: Sendable, Equatable {
    package var settledCount = 0
    package var reconcileCount = 0
    package var setAsideCount = 0
    package var laterCount = 0
    package var quotaIsFull = false
    package var zoneIsMissing = false
    /// The feed has to be asked before more is sent: only that covers what the service has acknowledged.
    package var mustConfirm = false
    /// The service refused merge metadata just now.
    package var metadataWasRefused = false

    package init() {}
}

/// When passing refusals are tried again, in milliseconds since 1970.
package struct RetryTimes: Sendable {
    package let now: Int64
    /// For refusals without a time of their own.
    package let standard: Int64
    /// No refusal waits longer than this many milliseconds.
    package static let longest = Store.longestDelay

    package init(now: Int64, standard: Int64) {
        self.now = now
        self.standard = standard
    }

    func time(after seconds: Double?) -> Int64 {
        guard let seconds, seconds.isFinite, seconds >= 0 else { return standard }
        return now + Int64(min(seconds * 1_000, Double(Self.longest)))
    }
}

extension SyncJournal {
    package func record(_ response: RecordsResponse, of operation: Int64, retry: RetryTimes) throws -> OutcomeSummary {
        // Outside of a transaction every question would take and leave SQLite's locks.
        try store.connection.transaction {
            var summary = OutcomeSummary()
            var outcomes: [(member: SentChange, outcome: MemberOutcome)] = []
            let mayRefuseMetadata = try isMetadataAtIssue(response) && carriesMetadata(operation)
            var results = Dictionary(
                response.records.map { (RecordName($0.recordName), $0) }, uniquingKeysWith: { first, _ in first })
            for member in try store.members(of: operation) {
                let outcome: MemberOutcome
                if let result = results.removeValue(forKey: member.name) {
                    outcome = try (mayRefuseMetadata ? metadataRefusal(result, retry: retry, summary: &summary) : nil)
                        ?? self.outcome(result, of: member, retry: retry, summary: &summary)
                } else {
                    // An answer that does not mention a record says nothing about it.
                    outcome = .reconcile
                    summary.reconcileCount += 1
                }
                outcomes.append((member, outcome))
            }
            if mayRefuseMetadata, !summary.metadataWasRefused, summary.settledCount > 0, try sendsMetadata(at: retry.now) { try noteMetadata(refusedAt: nil) }
            let doubtCount = try store.settle(operation, outcomes)
            summary.reconcileCount += doubtCount
            summary.settledCount -= doubtCount
            summary.mustConfirm = try noteSeen(response.lastTag)
            return summary
        }
    }

    /// What becomes of a record that the service refuses for its merge metadata; nil for any other answer.
    private func metadataRefusal(
        _ result: RecordResult, retry: RetryTimes, summary: inout OutcomeSummary
    ) throws -> MemberOutcome? {
        guard case .failure(_, let error) = result, error.isOfMetadata else { return nil }
        summary.metadataWasRefused = true
        summary.laterCount += 1
        try noteMetadata(refusedAt: retry.now)
        return .later(retry.now)
    }

    private func outcome(
        _ result: RecordResult, of member: SentChange, retry: RetryTimes, summary: inout OutcomeSummary
    ) throws -> MemberOutcome {
        func saved(_ tag: String?, _ wire: String, _ modified: Int64?) throws -> MemberOutcome {
            try self.saved(member, tag: tag, wire: wire, at: modified, summary: &summary)
        }
        switch result {
        case .failure(_, let error): return outcome(error, isDeletion: member.meta == nil, retry: retry, summary: &summary)
        case .record(let record) where record.isDeleted:
            summary.settledCount += 1
            return .deleted
        case .record(let record): return try saved(record.changeTag, record.recordName, record.modified?.timestamp)
        case .stored(let stored): return try saved(stored.head.changeTag, stored.head.recordName, stored.head.modified?.timestamp)
        case .thin(let wire, let tag, let modified): return try saved(tag, wire, modified)
        }
    }

    private func saved(
        _ member: SentChange, tag: String?, wire: String, at modified: Int64?, summary: inout OutcomeSummary
    ) throws -> MemberOutcome {
        summary.settledCount += 1
        var state = member.pending?.service ?? RecordState()
        state.tag = tag
        state.meta = kept(of: member, modified: modified, since: state.meta)
        state.wireName = wire == member.name.text ? nil : wire
        if member.pending?.isOwed == true { try noteSettledEdits(of: member.name, through: member.sent, in: &state) }
        return .saved(state)
    }

    /// The metadata that was sent, as it is kept once the service has it.
    ///
    /// A clock that jumped since the service last told its time stamps as it likes. What others lower, this device lowers too, or it would send the
    /// stamp again with its next edit, when the service's time has moved on. And while it is in doubt whether the service still has what it
    /// saved, what was added counts as unsent: the lookup tells.
    private func kept(of member: SentChange, modified: Int64?, since earlier: Data?) -> Data? {
        guard let meta = member.meta else { return nil }
        let bound = modified.flatMap { $0 > 0 ? $0 + SyncExchange.clockTolerance : nil }
        if let outline = MetadataOutline(of: meta, device: device), outline.latestStamp <= bound ?? .max { return meta }
        guard var metadata = MergeMetadata(encoded: meta) else { return meta }
        var isChanged = false
        if let bound { isChanged = metadata.lower(to: bound) }
        if metadata.counters != nil, member.isInDoubt {
            metadata.forgetWrites(of: device, since: earlier.flatMap { MergeMetadata(encoded: $0) })
            isChanged = true
        }
        return isChanged ? metadata.encoded : meta
    }

    private func outcome(
        _ error: ServerError, isDeletion: Bool, retry: RetryTimes, summary: inout OutcomeSummary
    ) -> MemberOutcome {
        switch error.code {
        case .notFound where isDeletion:
            summary.settledCount += 1
            return .deleted
        case .conflict, .exists, .notFound:
            summary.reconcileCount += 1
            return .reconcile
        case .zoneNotFound:
            summary.zoneIsMissing = true
            summary.laterCount += 1
            return .later(retry.standard)
        case .quotaExceeded:
            // The account as a whole waits, and says so; when it goes on, this record does too.
            summary.quotaIsFull = true
            summary.laterCount += 1
            return .later(retry.now)
        // An innocent member of a failed batch may go again at once; the guilty one has its own code.
        case .atomicError:
            summary.laterCount += 1
            return .later(retry.now)
        case let code where code.isPassing:
            summary.laterCount += 1
            return .later(retry.time(after: error.retryAfter))
        default:
            summary.setAsideCount += 1
            return .setAside(reason: error.description)
        }
    }
}
