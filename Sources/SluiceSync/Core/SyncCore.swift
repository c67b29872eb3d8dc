// The sync core: a value. Event in, effects out; no clock, randomness, I/O or iteration over a Dictionary or Set inside. Whoever runs it —
// the coordinator, a simulator — carries out the effects and reports back.
//
//                ┌────────────────────────── retryNow / woke ─────────────────────────┐
//                ▼                                                                    │
//     identify ─▶ createZone ─▶ pull pages ─▶ finishFeed ─▶ reconcile ─▶ freeze/send ─▶ idle
//                                   ▲             │                          │
//                                   └─ shouldPull, full fetch ◀──────────────┘
//
//     a zone that was deleted:  pull ─▶ leaveZone ─▶ blocked ─▶ recreateZone, or forgetZone ─▶ createZone
//     one that was purged:      pull ─▶ leaveZone ─▶ idle until something new is to be sent ─▶ createZone
//
// Any step may fail into `waiting` (with a time) or `blocked` (until a person acts); both keep every frozen operation and every
// pending change. Invariants:
// 1. One step at a time, except that up to `SendWindow.size` operations are in flight together.
// 2. The first pull comes before the first push: what the service has already need not be sent, and is not overwritten.
// 3. A frozen operation is sent again unchanged until it is answered, or given up on purpose (thaw, setAside).
// 4. No operation is on its way together with one that it has to follow.
// 5. News that come while a page is fetched are not part of it: after the end of the feed it is asked again.

import SluiceRecords
import SluiceStore

package struct SyncCore: Sendable {
    /// Records in one lookup, where the service takes as many.
    private var lookupCount: Int { min(200, limits.current.operations) }
    private var step = SyncStep.none
    private var isStarted = false
    private var isIdentified = false
    private var isZoneReady = false
    private var hasToken = false
    private var isPaused = false
    private var block: BlockReason?
    private var wait = Wait()
    private var limits = BatchLimits()
    private var needsPull = false
    /// Somebody spoke of news since the last page was asked for.
    private var hasNews = false
    private var needsFullFetch: SyncJournal.FullFetchReason?
    private var isFullFetch = false
    /// The zone is gone: its rows are to go too, or, by a person's word, what was not sent of it.
    private var farewell: SyncEffect?
    /// Something else than the feed said that the zone is not there.
    private var doubtsZone = false
    /// The user had the zone purged: it is made again as soon as there is something new to send.
    private var isPurged = false
    private var needsReconcile = false
    private var mayHaveChanges = false
    private var isFreezing = false
    private var window = SendWindow()
    private var feed = FeedProgress()
    /// Whether the service tells a retry from a new request. One that does not is asked what it has before anything is sent again.
    private var remembersOperations = true

    package init() {}

    /// The state to show.
    package var state: SyncState {
        if isPaused { return .paused }
        if let block { return .blocked(block) }
        return wait.state ?? step.state
    }

    /// Whether nothing is under way and nothing is known to be left to do.
    package var isQuiet: Bool {
        step == .none && window.inFlight.isEmpty && window.ready.isEmpty && !needsPull && !needsReconcile && !mayHaveChanges && needsFullFetch == nil
            && (isZoneReady || isPurged)
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - random: fresh random bits, for jitter.
    package mutating func handle(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        take(event, at: now, random: random) + proceed(at: now)
    }

    // MARK: Events

    private mutating func take(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        switch event {
        case .started(let hasToken, let frozen, let isFullFetch, let deletedZone):
            noteZone(deletedZone)
            (isStarted, self.hasToken, self.isFullFetch) = (true, hasToken, isFullFetch)
            window = SendWindow(ready: frozen)
            // Records may wait for their lookup since before the program ended.
            (needsPull, needsReconcile, mayHaveChanges) = (true, true, true)
        case .identified(let epochChanged, let limits, let remembersOperations):
            succeed()
            isIdentified = true
            if let limits { self.limits.advertise(limits) }
            if epochChanged { needsFullFetch = .serviceLostMemory }
            self.remembersOperations = remembersOperations
            if !remembersOperations { return lookUpReady() }
        case .identificationFailed(let failure): fail(failure, at: now, random: random)
        case .accountChanged(let expected, let found):
            step = .none
            block = .accountChanged(expected: expected, found: found)
        case .zoneReady:
            succeed()
            (isZoneReady, needsPull) = (true, needsPull || !hasToken)
        case .zoneFailed(let failure): fail(failure, at: now, random: random)
        case .changedLocally: mayHaveChanges = true
        case .shouldPull: (needsPull, hasNews) = (true, true)
        case .woke: if wait.state == nil { mayHaveChanges = true } else { wait.woke(at: now) }
        case .storeFailed(let detail, let isPassing): failStore(detail, isPassing: isPassing, at: now, random: random)
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .retryNow:
            // What becomes of a deleted zone is another question.
            if block != .zoneDeleted { block = nil }
            wait.end()
            (isIdentified, needsPull, mayHaveChanges) = (false, true, true)
        case .recreateZone:
            // After a purge only what is new is sent.
            let reason: SyncJournal.FullFetchReason? = isPurged ? nil : .serviceLostMemory
            noteZone(nil)
            makeZone(reason)
        case .forgetZone:
            guard isLeft else { break }
            noteZone(nil)
            farewell = .forgetZone
        default: return takeWork(event, at: now, random: random)
        }
        return []
    }

    /// Reports of the steps that move records.
    private mutating func takeWork(_ event: SyncEvent, at now: Int64, random: UInt64) -> [SyncEffect] {
        switch event {
        case .beganFullFetch:
            (step, isFullFetch, hasToken) = (.none, true, false)
            (needsPull, mayHaveChanges) = (true, true)
        case .appliedPage(let moreComing, let recordCount, let isMoving):
            succeed()
            (hasToken, isPurged) = (true, false)
            needsPull = moreComing
            if !feed.goesOn(moreComing: moreComing, recordCount: recordCount, isMoving: isMoving) {
                // It has not come to its end, so nothing may be concluded from what did not come.
                wait.begin(.serviceFault("its feed does not move on"), asked: nil, at: now, random: random)
            }
            if needsPull { return [] }
            step = .finishing
            needsPull = hasNews
            return [.finishFeed]
        case .finishedFeed:
            (step, isFullFetch, mayHaveChanges) = (.none, false, true)
        case .leftZone(let reason):
            (step, hasToken, isZoneReady, isFullFetch, needsFullFetch) = (.none, false, false, false, nil)
            window.dropReady()
            noteZone(reason)
        case .forgotZone:
            step = .none
            needsPull = true
        case .pullFailed(let failure): failPull(failure, at: now, random: random)
        case .reconciled(let remaining, let needsPull):
            succeed()
            doubtsZone = false
            if needsPull { self.needsPull = true }
            needsReconcile = remaining
            mayHaveChanges = true
        case .reconcileFailed(.tokenExpired(sameTimeline: false)): (step, needsFullFetch) = (.none, .serviceLostMemory)
        case .reconcileFailed(.tokenExpired(sameTimeline: true)):
            // It does not have what it said before. The feed tells what that means: an older copy, or another zone of the same name.
            step = .none
            missZone(at: now, random: random)
        case .reconcileFailed(let failure):
            if failure.mayBeTooMuch, lookupCount > 1 {
                step = .none
                limits.refused(memberCount: lookupCount)
            } else { fail(failure, at: now, random: random) }
        case .froze(let operations):
            if step == .freezing { step = .none }
            isFreezing = false
            window.add(operations)
            mayHaveChanges = !operations.isEmpty
        case .thawed(let reconciling): gaveUp(reconciling: reconciling)
        case .gaveUp(let operation, let reconciling):
            window.gaveUp(operation)
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
        wait.succeed()
    }

    // MARK: Failures

    private mutating func fail(_ failure: RequestFailure, at now: Int64, random: UInt64) {
        step = .none
        switch failure.consequence {
        case .block(let reason):
            block = reason
            if reason == .notAuthorized { isIdentified = false }
        case .wait(let reason, let seconds): wait.begin(reason, asked: seconds, at: now, random: random)
        case .identifyAgain: isIdentified = false
        case .doubtZone: missZone(at: now, random: random)
        case .loseZone(let reason, let isBack): lose(reason, isBack: isBack)
        }
    }

    /// A zone that we have no token of is made. Why one that we have a token of is not there, the feed tells.
    private mutating func missZone(at now: Int64, random: UInt64) {
        guard hasToken || isFullFetch else { return isZoneReady = false }
        needsPull = true
        // The feed knew it, and whatever else was asked does not: that may pass.
        if doubtsZone { wait.begin(.serviceFault("its other answers contradict its feed"), asked: nil, at: now, random: random) }
        doubtsZone = true
    }

    private mutating func lose(_ reason: ZoneDeletionReason, isBack: Bool) {
        switch (reason, isBack) {
        case (.encryptedDataReset, _): makeZone(.encryptedDataReset)
        case (.deleted, true): needsFullFetch = .zoneDeleted
        case (.purged, true): needsFullFetch = .zonePurged
        case (.deleted, false), (.purged, false): farewell = .leaveZone(reason)
        }
    }

    /// Whether a deleted zone was left, and nobody has said since what is to become of it.
    private var isLeft: Bool { block == .zoneDeleted || isPurged }

    private mutating func noteZone(_ reason: ZoneDeletionReason?) {
        isPurged = reason == .purged
        if let reason, reason != .purged { block = .zoneDeleted } else if block == .zoneDeleted { block = nil }
    }

    /// Makes the zone where it is not there.
    /// - Parameter reason: sends everything.
    private mutating func makeZone(_ reason: SyncJournal.FullFetchReason?) {
        (isZoneReady, hasToken, isFullFetch) = (false, false, false)
        (needsFullFetch, needsPull) = (reason, true)
    }

    private mutating func failPull(_ failure: RequestFailure, at now: Int64, random: UInt64) {
        guard case .tokenExpired(let sameTimeline) = failure else {
            needsPull = true
            guard failure == .zoneNotFound else { return fail(failure, at: now, random: random) }
            succeed()
            (isZoneReady, hasToken, needsPull) = (false, false, !isPurged)
            return
        }
        step = .none
        // Refused twice in a row: something else is wrong, and a loop would not mend it.
        if isFullFetch { wait.begin(.serviceFault("it refuses a fetch from the beginning"), asked: nil, at: now, random: random) }
        needsFullFetch = sameTimeline ? .tokenExpired : .serviceLostMemory
    }

    private mutating func failStore(_ detail: String, isPassing: Bool, at now: Int64, random: UInt64) {
        step = .none
        isFreezing = false
        window.recallAll()
        needsPull = true
        mayHaveChanges = true
        if isPassing { wait.begin(.disk(detail), asked: nil, at: now, random: random) } else { block = .store(detail) }
    }

    // MARK: Operations

    private mutating func answered(_ operation: Int64, _ summary: OutcomeSummary, at now: Int64, random: UInt64) {
        land(operation)
        if !summary.quotaIsFull { wait.resetBackoff() }
        limits.succeeded()
        if summary.reconcileCount > 0 { needsReconcile = true }
        if summary.mustConfirm { needsPull = true }
        mayHaveChanges = true
        if !summary.zoneIsMissing { doubtsZone = false }
        if summary.quotaIsFull { wait.begin(.quotaFull, asked: nil, at: now, random: random) }
        if summary.zoneIsMissing { fail(.zoneNotFound, at: now, random: random) }
    }

    private mutating func operationFailed(
        _ number: Int64, memberCount: Int, _ failure: RequestFailure, at now: Int64, random: UInt64
    ) -> [SyncEffect] {
        let operation = land(number)
        mayHaveChanges = true
        switch failure {
        case .operationUnknown: return giveUp(.thaw(number, reconciling: true), operation)
        case .tooLarge(let advertised):
            if let advertised { limits.advertise(advertised) } else { limits.refused(memberCount: memberCount) }
            let reason = "the record is larger than the service takes; make it smaller"
            return giveUp(memberCount <= 1 ? .setAside(number, reason: reason) : .thaw(number, reconciling: false), operation)
        case .malformed(let detail):
            if memberCount <= 1 { return giveUp(.setAside(number, reason: detail), operation) }
            limits.refused(memberCount: memberCount)
            return giveUp(.thaw(number, reconciling: false), operation)
        default:
            let isStillSending = !window.inFlight.isEmpty
            fail(failure, at: now, random: random)
            if isStillSending { step = .sending }
            if failure.hidesEffect, !remembersOperations { return giveUp(.thaw(number, reconciling: true), operation) }
            window.putBack(operation)
            return []
        }
    }

    /// Operations that may have been sent before, by this process or one that ended since.
    private mutating func lookUpReady() -> [SyncEffect] {
        defer { window.dropReady() }
        return window.ready.flatMap { giveUp(.thaw($0.number, reconciling: true), $0) }
    }

    private mutating func giveUp(_ effect: SyncEffect, _ operation: QueuedOperation) -> [SyncEffect] {
        window.giveUp(operation)
        return [effect]
    }

    @discardableResult
    private mutating func land(_ number: Int64) -> QueuedOperation {
        let operation = window.land(number)
        if window.inFlight.isEmpty, step == .sending { step = .none }
        return operation
    }

    // MARK: What comes next

    private mutating func proceed(at now: Int64) -> [SyncEffect] {
        guard isStarted, !isPaused, block == nil else { return [] }
        if wait.state != nil { return wait.timeToAskFor().map { [.wake(at: $0)] } ?? [] }
        wait.forgetAsked()
        switch step {
        case .none: return begin()
        case .sending: return fillWindow()
        default: return []
        }
    }

    private mutating func begin() -> [SyncEffect] {
        if !isIdentified { return enter(.identifying, .identify) }
        if let effect = farewell {
            farewell = nil
            return enter(.leavingZone, effect)
        }
        // A zone we have a token of is there, or was deleted by somebody; making it again would bring deleted records back.
        if hasToken { isZoneReady = true }
        if !isZoneReady, !isPurged || !needsPull {
            if isPurged, !window.hasSendable { return prepare() }
            isPurged = false
            return enter(.creatingZone, .createZone)
        }
        if let reason = needsFullFetch {
            needsFullFetch = nil
            // A service that lost its memory gets everything anew; for one that only forgot a token, what is frozen stays so.
            if reason != .tokenExpired { window.dropReady() }
            return enter(.beginningFullFetch, .beginFullFetch(reason))
        }
        if needsPull {
            hasNews = false
            return enter(.pulling, .pullPage(fullFetch: isFullFetch))
        }
        if needsReconcile { return enter(.reconciling, .reconcile(count: lookupCount)) }
        if window.hasSendable {
            step = .sending
            return fillWindow()
        }
        return prepare()
    }

    private mutating func prepare() -> [SyncEffect] {
        guard mayHaveChanges, !isFreezing else { return [] }
        isFreezing = true
        return enter(.freezing, .freeze(count: SendWindow.size, limits: limits.current))
    }

    private mutating func enter(_ next: SyncStep, _ effect: SyncEffect) -> [SyncEffect] {
        step = next
        return [effect]
    }

    private mutating func fillWindow() -> [SyncEffect] {
        var effects: [SyncEffect] = []
        // What the service has to say comes before what is left to send.
        while isIdentified, !needsPull, let operation = window.next() { effects.append(.send(operation.number)) }
        if window.inFlight.isEmpty, !isFreezing {
            step = .none
            effects += begin()
        } else if window.ready.isEmpty, mayHaveChanges, !needsPull, !isFreezing, window.inFlight.count <= SendWindow.size / 2 {
            // The next batches are prepared while the last ones are on their way.
            isFreezing = true
            effects.append(.freeze(count: SendWindow.size, limits: limits.current))
        }
        return effects
    }
}
