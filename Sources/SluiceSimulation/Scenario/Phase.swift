package import SluiceSync

/// What a device is doing, as the faults that may meet it see it.
package enum Phase: String, CaseIterable, Comparable, Sendable {
    case identify, createZone, pull, finishFeed, beginFullFetch, leaveZone, reconcile, freeze, send, giveUp
    case idle, waiting, blocked, paused, down

    package static let requests: [Phase] = [.identify, .createZone, .pull, .reconcile, .send]
    /// Phases in which the store is written.
    package static let storeSteps: [Phase] = [.identify, .pull, .finishFeed, .beginFullFetch, .leaveZone, .reconcile, .freeze, .send, .giveUp]
    package static let steps: [Phase] = [
        .identify, .createZone, .pull, .finishFeed, .beginFullFetch, .leaveZone, .reconcile, .freeze, .send, .giveUp,
    ]

    package static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }

    /// Nil for a wait.
    init?(_ effect: SyncEffect) {
        switch effect {
        case .identify: self = .identify
        case .createZone: self = .createZone
        case .pullPage: self = .pull
        case .finishFeed: self = .finishFeed
        case .beginFullFetch: self = .beginFullFetch
        case .leaveZone, .forgetZone: self = .leaveZone
        case .reconcile: self = .reconcile
        case .freeze: self = .freeze
        case .send: self = .send
        case .thaw, .setAside: self = .giveUp
        case .wake: return nil
        }
    }

    init(_ state: SyncState) {
        switch state {
        case .idle, .pushing, .pulling: self = .idle
        case .waiting: self = .waiting
        case .blocked: self = .blocked
        case .paused: self = .paused
        }
    }
}
