// Mistakes that a sync engine can make, each made on purpose at a seam. A simulator that does not notice one of them does not look.

/// One mistake.
package struct BrokenVariant: Sendable {
    package let name: String
    /// The theme whose runs meet it; nil: all do.
    package let theme: Scenario.Theme?
    /// Made anew for each run.
    package let seams: @Sendable () -> Seams

    init(_ name: String, in theme: Scenario.Theme? = nil, _ seams: @escaping @Sendable () -> Seams) {
        self.name = name
        self.theme = theme
        self.seams = seams
    }

    package static let all: [BrokenVariant] = [
        // What is written together has to be.
        .init("the token is written before the rows of its page") { TokenAheadOfRows() },
        .init("what is acknowledged is not on the disk yet", in: .brokenDisks) { NeverSyncs() },
        .init("the inbox is kept in memory") { ForgetsInbox() },
        .init("operations on their way are kept in memory, as sent") { ForgetsOperations() },
        .init("a change counts as sent when it is handed to the network") { AcknowledgesAtOnce() },
        // Answers.
        .init("an answer acknowledges the record, not the version that was sent") { AcknowledgesRecords() },
        .init("a status of 200 stands for every record in the answer") { ReadsOnlyTheStatus() },
        .init("an answer that cannot be read counts as success", in: .roughNetwork) { TakesTruncationForSuccess() },
        .init("records that are refused for the moment are dropped") { DropsRefusals(forGood: false) },
        .init("records that are refused for good are dropped") { DropsRefusals(forGood: true) },
        // Retries.
        .init("a retry builds its body anew") { RebuildsBody() },
        .init("a retry goes under a new operation id", in: .roughNetwork) { ResendsUnderNewID() },
        .init("an operation older than the service's memory of it is sent again", in: .forgetfulService) { IgnoresLedgerAge() },
        .init("a failure is tried again at once") { RetriesAtOnce() },
        .init("the end of a wait is missed") { NeverWakes() },
        .init("a disk that fails is not spoken of", in: .brokenDisks) { KeepsStoreFailuresQuiet() },
        // Tokens and timelines.
        .init("an expired token is asked with again and again") { KeepsExpiredToken() },
        .init("tags and tokens are used on after the service was restored", in: .restoredService) { ReusesTags() },
        .init("what was acknowledged since the last pull is forgotten", in: .restoredService) { ForgetsSeenTags() },
        .init("a full fetch leaves what is gone", in: .forgetfulService) { FullFetchKeepsAll() },
        .init("a full fetch deletes what was never sent") { FullFetchDeletesUnsent() },
        .init("a zone that somebody deleted is made again", in: .deletedZone) { RecreatesZone() },
        .init("what was not sent goes with a deleted zone", in: .deletedZone) { DropsUnsentWithZone() },
        // Merging.
        .init("the service's version always wins") { ServerAlwaysWins() },
        .init("a version in conflict is passed over, its token kept") { SkipsConflicts() },
        .init("a conflict is settled by taking the service's tag, not its values") { TakesTagOnly() },
        .init("writes are forced, whatever is there") { ForcesWrites() },
        .init("the device's clock is trusted", in: .wrongClocks) { TrustsClock() },
        .init("deletions in the feed are passed over") { IgnoresTombstones() },
        .init("an echo is recognised by the device that wrote it") { EchoByDevice() },
        .init("the second record with a unique value is thrown away") { DeletesOnUniqueConflict() },
        .init("fields of newer devices are dropped", in: .upgrades) { DropsUnknownFields() },
        .init("what was pulled counts as edited here") { SendsPulledRows() },
        .init("what an operation added whose answer was lost is added again", in: .roughNetwork) { HidesAdditions() },
        .init("the base of what was counted is forgotten") { OverwritesCounters() },
        // Accounts.
        .init("rows go to whoever the token names", in: .accounts) { CrossesAccounts() },
    ]
}

extension BrokenVariant {
    /// The first run that notices the mistake; nil where none of the seeds from 1 on does.
    package func firstCaught(within seedCount: UInt64) async throws -> RunOutcome? {
        for seed in 1...seedCount {
            let scenario = Scenario.drawn(from: seed)
            guard theme == nil || theme == scenario.theme else { continue }
            let outcome = try await scenario.run(seams())
            if !outcome.violations.isEmpty { return outcome }
        }
        return nil
    }
}
