// The sync core: a value. Event in, effects out; no clock, randomness, I/O or iteration over a Dictionary or Set inside. Whoever runs it —
// the coordinator, a simulator — carries out the effects and reports back.
//
//                ┌────────────────────────── retryNow / woke ─────────────────────────┐
//                ▼                                                                    │
//     identify ─▶ createZone ─▶ pull pages ─▶ finishFeed ─▶ reconcile ─▶ freeze/send ─▶ idle
//                                   ▲             │                          │
//                                   └─ shouldPull, full fetch ◀──────────────┘
//
// Any step may fail into `waiting` (with a time) or `blocked` (until a person acts); both keep every frozen operation and every
// pending change. Invariants:
// 1. One step at a time, except that up to `windowSize` operations are in flight together.
// 2. The first pull comes before the first push: what the service has already need not be sent, and is not overwritten.
// 3. A frozen operation is sent again unchanged until it is answered, or given up on purpose (thaw, setAside).
// 4. No operation is on its way together with one that it has to follow.
// 5. News that come while a page is fetched are not part of it: after the end of the feed it is asked again.

import SluiceRecords
import SluiceStore

package struct SyncCore: Sendable {
    /// Operations in flight together.
    package static let windowSize = 4

    /// Records in one lookup.
    private var lookupCount: Int { min(200, limits.operations) }

    private enum Step: Sendable, Hashable {
        case none
        case identifying
        case creatingZone
        case beginningFullFetch
        case pulling
        case finishing
        case reconciling
        case freezing
        case sending
    }

    private var step = Step.none
    private var isStarted = false
    private var isIdentified = false
    private var isZoneReady = false
    private var hasToken = false
    private var isPaused = false
    private var block: BlockReason?
    private var wait: (since: Int64, until: Int64, reason: WaitReason)?
    private var backoff = Backoff()
    /// What the service allows, and what batches are cut to now: less after a batch was refused, growing back with each success.
    private var allowed = ServiceLimits.cloudKit
    private var limits = ServiceLimits.cloudKit
    private var needsPull = false
    /// Somebody spoke of news since the last page was asked for.
    private var hasNews = false
    private var needsFullFetch: SyncJournal.FullFetchReason?
    private var isFullFetch = false
    private var needsReconcile = false
    private var mayHaveChanges = false
    private var isFreezing = false
    /// Frozen and not in flight, oldest first.
    private var ready: [QueuedOperation] = []
    private var inFlight: [QueuedOperation] = []
    /// To be given up, which is not done yet.
    private var givingUp: [QueuedOperation] = []
    private var feed = FeedProgress()
    /// Whether the service tells a retry from a new request. One that does not is asked what it has before anything is sent again.
    private var remembersOperations = true
    private var wokenAt: Int64?

    package init() {}

    /// The state to show.
    package var state: SyncState {
        if isPaused { return .paused }
        if let block { return .blocked(block) }
        if let wait { return .waiting(until: wait.until, reason: wait.reason) }
        switch step {
        case .none: return .idle
        case .identifying, .creatingZone, .beginningFullFetch, .pulling, .finishing: return .pulling
        case .reconciling, .freezing, .sending: return .pushing
        }
    }

    /// Whether nothing is under way and nothing is known to be left to do.
    package var isQuiet: Bool {
        step == .none && inFlight.isEmpty && ready.isEmpty && !needsPull && !needsReconcile && !mayHaveChanges && needsFullFetch == nil
            && isZoneReady
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - random: fresh random bits, for jitter.
    package mutating func handle(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        let effects = take(event, at: now, random: random)
        return effects + proceed(at: now)
    }

    // MARK: Events

    private mutating func take(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        switch event {
        case .started(let hasToken, let frozen, let isFullFetch):
            isStarted = true
            self.hasToken = hasToken
            self.isFullFetch = isFullFetch
            ready = frozen
            needsPull = true
            // Records may wait for their lookup since before the program ended.
            needsReconcile = true
            mayHaveChanges = true
        case .identified(let epochChanged, let limits, let remembersOperations):
            succeed()
            isIdentified = true
            if let limits { (allowed, self.limits) = (limits, limits) }
            if epochChanged { needsFullFetch = .serviceLostMemory }
            self.remembersOperations = remembersOperations
            if !remembersOperations { return lookUpReady() }
        case .identificationFailed(let failure): fail(failure, at: now, random: random)
        case .accountChanged(let expected, let found):
            step = .none
            block = .accountChanged(expected: expected, found: found)
        case .zoneReady:
            succeed()
            isZoneReady = true
        case .zoneFailed(let failure): fail(failure, at: now, random: random)
        case .changedLocally: mayHaveChanges = true
        case .shouldPull: (needsPull, hasNews) = (true, true)
        case .woke: wake(at: now)
        case .storeFailed(let detail, let isPassing): failStore(detail, isPassing: isPassing, at: now, random: random)
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .retryNow:
            (block, wait, isIdentified) = (nil, nil, false)
            (needsPull, mayHaveChanges) = (true, true)
        case .recreateZone:
            guard block == .zoneDeleted else { break }
            (block, isZoneReady, hasToken) = (nil, false, false)
            needsFullFetch = .serviceLostMemory
        default: return takeWork(event, at: now, random: random)
        }
        return []
    }

    /// Reports of the steps that move records.
    private mutating func takeWork(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        switch event {
        case .beganFullFetch:
            step = .none
            isFullFetch = true
            hasToken = false
            needsPull = true
            mayHaveChanges = true
        case .appliedPage(let moreComing, let recordCount, let isMoving):
            succeed()
            hasToken = true
            needsPull = moreComing
            if !feed.goesOn(moreComing: moreComing, recordCount: recordCount, isMoving: isMoving) {
                // It has not come to its end, so nothing may be concluded from what did not come.
                pause(.serviceFault("its feed does not move on"), asked: nil, at: now, random: random)
            }
            if needsPull { return [] }
            step = .finishing
            needsPull = hasNews
            return [.finishFeed]
        case .finishedFeed:
            step = .none
            isFullFetch = false
            mayHaveChanges = true
        case .pullFailed(let failure): failPull(failure, at: now, random: random)
        case .reconciled(let remaining, let needsPull):
            succeed()
            if needsPull { self.needsPull = true }
            needsReconcile = remaining
            mayHaveChanges = true
        case .reconcileFailed(let failure):
            if failure.mayBeTooMuch, lookupCount > 1 {
                (step, limits) = (.none, limits.halved(memberCount: lookupCount))
            } else { fail(failure, at: now, random: random) }
        case .froze(let operations):
            if step == .freezing { step = .none }
            isFreezing = false
            ready += operations
            mayHaveChanges = !operations.isEmpty
        case .thawed(let reconciling): gaveUp(reconciling: reconciling)
        case .gaveUp(let operation, let reconciling):
            givingUp.removeAll { $0.number == operation }
            gaveUp(reconciling: reconciling)
        case .answered(let operation, let summary): answered(operation, summary, at: now, random: random)
        case .operationFailed(let operation, let memberCount, let failure):
            return operationFailed(operation, memberCount: memberCount, failure, at: now, random: random)
        default: break
        }
        return []
    }

    private mutating func gaveUp(reconciling: Bool) {
        // Only now: a lookup that came before would have found nothing to look up. And what it does not find may have been made by that
        // operation and deleted since: the feed tells.
        if reconciling { (needsPull, needsReconcile) = (true, true) }
        mayHaveChanges = true
    }

    private mutating func succeed() {
        step = .none
        backoff.reset()
        wait = nil
    }

    // MARK: Failures

    private mutating func fail(_ failure: RequestFailure, at now: Int64, random: UInt64) {
        step = .none
        switch failure {
        case .untrustedCertificate(let detail): block = .untrustedCertificate(detail)
        case .noCredentials(let detail): block = .noCredentials(detail)
        case .notAuthorized:
            block = .notAuthorized
            isIdentified = false
        case .refused(let detail), .malformed(let detail): block = .refused(detail)
        case .unreachable(let detail): pause(.unreachable(detail), asked: nil, at: now, random: random)
        case .throttled(let seconds): pause(.throttled, asked: seconds, at: now, random: random)
        case .serviceFault(let detail, let seconds): pause(.serviceFault(detail), asked: seconds, at: now, random: random)
        case .quotaFull(let seconds): pause(.quotaFull, asked: seconds, at: now, random: random)
        // A zone that is gone after we had a token of it was deleted by somebody; one that never was is made.
        case .zoneNotFound: if hasToken { block = .zoneDeleted } else { isZoneReady = false }
        case .credentialsChanged: isIdentified = false
        case .tooLarge, .operationUnknown, .tokenExpired:
            pause(.serviceFault("an answer out of place"), asked: nil, at: now, random: random)
        }
    }

    private mutating func pause(_ reason: WaitReason, asked: Double?, at now: Int64, random: UInt64) {
        let until = now + backoff.next(random: random, asked: asked)
        // Several operations in flight fail together; the longest wait counts.
        // One from before the clock was put back is no measure.
        let earlier = wait.flatMap { now >= $0.since ? $0.until : nil } ?? 0
        wait = (now, max(until, min(earlier, now + Backoff.longestAsked)), reason)
    }

    private mutating func wake(at now: Int64) {
        guard let wait else { return mayHaveChanges = true }
        // Once the clock has been put back, its time to go on may be years away.
        if now >= wait.until || now < wait.since { self.wait = nil } else { wokenAt = nil }
    }

    private mutating func failPull(_ failure: RequestFailure, at now: Int64, random: UInt64) {
        guard case .tokenExpired(let sameTimeline) = failure else {
            needsPull = true
            return fail(failure, at: now, random: random)
        }
        step = .none
        // Refused twice in a row: something else is wrong, and a loop would not mend it.
        if isFullFetch { pause(.serviceFault("it refuses a fetch from the beginning"), asked: nil, at: now, random: random) }
        needsFullFetch = sameTimeline ? .tokenExpired : .serviceLostMemory
    }

    private mutating func failStore(_ detail: String, isPassing: Bool, at now: Int64, random: UInt64) {
        step = .none
        isFreezing = false
        ready = (givingUp + inFlight + ready).sorted { $0.number < $1.number }
        (inFlight, givingUp) = ([], [])
        needsPull = true
        mayHaveChanges = true
        if isPassing { pause(.disk(detail), asked: nil, at: now, random: random) } else { block = .store(detail) }
    }

    // MARK: Operations

    private mutating func answered(_ operation: Int64, _ summary: OutcomeSummary, at now: Int64, random: UInt64) {
        inFlight.removeAll { $0.number == operation }
        if inFlight.isEmpty, step == .sending { step = .none }
        if !summary.quotaIsFull { backoff.reset() }
        limits.operations = min(allowed.operations, limits.operations * 2)
        if summary.reconcileCount > 0 { needsReconcile = true }
        mayHaveChanges = true
        if summary.quotaIsFull { pause(.quotaFull, asked: nil, at: now, random: random) }
        if summary.zoneIsMissing { fail(.zoneNotFound, at: now, random: random) }
    }

    private mutating func operationFailed(
        _ number: Int64, memberCount: Int, _ failure: RequestFailure, at now: Int64, random: UInt64
    ) -> [SyncEffect] {
        let operation = inFlight.first { $0.number == number } ?? QueuedOperation(number)
        inFlight.removeAll { $0.number == number }
        if inFlight.isEmpty, step == .sending { step = .none }
        mayHaveChanges = true
        switch failure {
        case .operationUnknown: return giveUp(.thaw(number, reconciling: true), operation)
        case .tooLarge(let advertised):
            if let advertised { allowed = advertised }
            limits = advertised ?? limits.halved(memberCount: memberCount)
            let reason = "the record is larger than the service takes; make it smaller"
            return giveUp(memberCount <= 1 ? .setAside(number, reason: reason) : .thaw(number, reconciling: false), operation)
        case .malformed(let detail):
            // Somewhere in it is a record that the service cannot read: smaller and smaller batches find it.
            if memberCount <= 1 { return giveUp(.setAside(number, reason: detail), operation) }
            limits = limits.halved(memberCount: memberCount)
            return giveUp(.thaw(number, reconciling: false), operation)
        default:
            let isStillSending = !inFlight.isEmpty
            fail(failure, at: now, random: random)
            if isStillSending { step = .sending }
            if failure.hidesEffect, !remembersOperations { return giveUp(.thaw(number, reconciling: true), operation) }
            let position = ready.firstIndex { $0.number > number } ?? ready.endIndex
            ready.insert(operation, at: position)
            return []
        }
    }

    /// Operations that may have been sent before, by this process or one that ended since.
    private mutating func lookUpReady() -> [SyncEffect] {
        defer { ready = [] }
        return ready.flatMap { giveUp(.thaw($0.number, reconciling: true), $0) }
    }

    /// Where the store cannot be written, the operation is one to be sent again, and to fail alike.
    private mutating func giveUp(_ effect: SyncEffect, _ operation: QueuedOperation) -> [SyncEffect] {
        givingUp.append(operation)
        return [effect]
    }

    // MARK: What comes next

    private mutating func proceed(at now: Int64) -> [SyncEffect] {
        guard isStarted, !isPaused, block == nil else { return [] }
        if let wait { return wakeOnce(at: wait.until) }
        wokenAt = nil
        switch step {
        case .none: return begin()
        case .sending: return fillWindow()
        default: return []
        }
    }

    private mutating func wakeOnce(at time: Int64) -> [SyncEffect] {
        guard wokenAt != time else { return [] }
        wokenAt = time
        return [.wake(at: time)]
    }

    private mutating func begin() -> [SyncEffect] {
        if !isIdentified { return enter(.identifying, .identify) }
        if !isZoneReady {
            // A zone we have a token of is there, or was deleted by somebody; making it again would bring deleted records back.
            guard hasToken else { return enter(.creatingZone, .createZone) }
            isZoneReady = true
        }
        if let reason = needsFullFetch {
            needsFullFetch = nil
            // A service that lost its memory gets everything anew; for one that only forgot a token, what is frozen stays so.
            if reason == .serviceLostMemory { ready = [] }
            return enter(.beginningFullFetch, .beginFullFetch(reason))
        }
        if needsPull {
            hasNews = false
            return enter(.pulling, .pullPage(fullFetch: isFullFetch))
        }
        if needsReconcile { return enter(.reconciling, .reconcile(count: lookupCount)) }
        if ready.contains(where: mayBeSent) {
            step = .sending
            return fillWindow()
        }
        if mayHaveChanges, !isFreezing {
            isFreezing = true
            return enter(.freezing, .freeze(count: Self.windowSize, limits: limits))
        }
        return []
    }

    private mutating func enter(_ next: Step, _ effect: SyncEffect) -> [SyncEffect] {
        step = next
        return [effect]
    }

    private func mayBeSent(_ operation: QueuedOperation) -> Bool {
        guard let last = operation.after else { return true }
        return ![inFlight, givingUp, ready].contains { $0.contains { $0.number <= last } }
    }

    private mutating func fillWindow() -> [SyncEffect] {
        var effects: [SyncEffect] = []
        // What the service has to say comes before what is left to send.
        while isIdentified, inFlight.count < Self.windowSize, !needsPull, let next = ready.firstIndex(where: mayBeSent) {
            let operation = ready.remove(at: next)
            inFlight.append(operation)
            effects.append(.send(operation.number))
        }
        if inFlight.isEmpty, !isFreezing {
            step = .none
            effects += begin()
        } else if ready.isEmpty, mayHaveChanges, !needsPull, !isFreezing, inFlight.count <= Self.windowSize / 2 {
            // The next batches are prepared while the last ones are on their way.
            isFreezing = true
            effects.append(.freeze(count: Self.windowSize, limits: limits))
        }
        return effects
    }
}
