// Everything that may befall a simulation, by what a reader of a scenario or of the coverage table calls it. Docs/Simulation.md explains each.

/// One kind of misfortune.
package enum Fault: String, CaseIterable, Comparable, Sendable {
    // The network; the first nine strike single requests.
    case requestLost, requestTruncated, answerLost, requestDuplicated, requestOvertaken, answerTruncated, resetBeforeEffect, resetAfterEffect, gatewayError
    case partition, partitionOutward, partitionInward
    // The disk and the process.
    case crash, crashInTransaction, powerLoss, powerLossInTransaction, writeFailed, diskFull
    // Clocks.
    case clockForward, clockBack
    // The service.
    case serviceRestart, storageFailure, recordRefused, throttled, quotaFull, ledgerForgotten, tombstonesForgotten, serviceRestored
    // The zone.
    case zoneDeleted, zonePurged, encryptedDataReset, zoneRemade
    // People.
    case edit, pause, accountSwitched, tokenRevoked, deviceRestored, deviceCloned, stateLost, upgrade, foreignWrite

    package static func < (left: Fault, right: Fault) -> Bool { left.rawValue < right.rawValue }

    /// The phases in which it has to have struck for the coverage to be whole.
    package var phases: [Phase] {
        switch self {
        case .requestLost, .requestTruncated, .answerLost, .requestDuplicated, .requestOvertaken, .answerTruncated, .resetBeforeEffect, .resetAfterEffect, .gatewayError:
            Phase.requests
        case .partition, .partitionOutward, .partitionInward: [.identify, .pull, .reconcile, .send]
        case .crash: Phase.steps + [.idle, .waiting]
        case .crashInTransaction: Phase.storeSteps
        case .powerLoss: [.pull, .finishFeed, .freeze, .send, .idle, .waiting]
        case .powerLossInTransaction, .writeFailed: [.pull, .finishFeed, .freeze, .send]
        // What writes a single row takes no more room.
        case .diskFull: Phase.storeSteps.filter { $0 != .identify }
        case .clockForward, .clockBack: [.pull, .send, .idle, .waiting]
        case .serviceRestart: [.identify, .pull, .reconcile, .send, .idle, .waiting]
        case .storageFailure: [.createZone, .send]
        case .recordRefused: [.send]
        case .throttled: [.identify, .pull, .reconcile, .send]
        case .quotaFull: [.send]
        case .ledgerForgotten, .tombstonesForgotten: [.idle, .waiting, .pull, .send]
        case .serviceRestored: [.idle, .waiting, .pull, .send]
        case .zoneDeleted, .zonePurged, .encryptedDataReset, .zoneRemade: [.idle, .pull, .send]
        case .edit: Phase.steps + [.idle, .waiting, .blocked, .paused]
        case .pause: [.idle, .pull, .send]
        case .accountSwitched: [.idle, .pull, .send]
        case .tokenRevoked: [.identify, .pull, .send]
        case .deviceRestored, .deviceCloned, .stateLost, .upgrade: [.idle, .pull, .send, .waiting]
        case .foreignWrite: [.idle, .pull, .send]
        }
    }
}

/// A fault that is to strike the first device that comes to a phase.
package struct Aim: Hashable, Sendable, CustomStringConvertible {
    package var fault: Fault
    package var phase: Phase

    package init(_ fault: Fault, in phase: Phase) {
        self.fault = fault
        self.phase = phase
    }

    package var description: String { "\(fault.rawValue) in \(phase.rawValue)" }

    /// Every pair that has to meet.
    package static let all: [Aim] = Fault.allCases.flatMap { fault in fault.phases.map { Aim(fault, in: $0) } }

    /// The theme in whose runs the two can meet, and the model knows what has to come of it.
    var theme: Scenario.Theme? {
        switch fault {
        case .clockForward, .clockBack: .wrongClocks
        case .powerLoss, .powerLossInTransaction, .writeFailed: .brokenDisks
        case .serviceRestored: .restoredService
        case .ledgerForgotten, .tombstonesForgotten: .forgetfulService
        case .zoneDeleted, .zonePurged, .encryptedDataReset, .zoneRemade: .deletedZone
        case .deviceRestored, .deviceCloned, .stateLost: .oldBackups
        case .upgrade: .upgrades
        case .foreignWrite: .foreignClients
        case .accountSwitched, .tokenRevoked: .accounts
        default:
            switch phase {
            case .beginFullFetch: .restoredService
            case .leaveZone: .deletedZone
            case .giveUp: .forgetfulService
            case .blocked: .accounts
            default: nil
            }
        }
    }
}

/// How often each fault met each phase.
package struct Coverage: Sendable {
    private var counts: [Fault: [Phase: Int]] = [:]

    package init() {}

    mutating func note(_ fault: Fault, _ phase: Phase) { counts[fault, default: [:]][phase, default: 0] += 1 }

    package mutating func add(_ other: Coverage) {
        for (fault, phases) in other.counts { for (phase, count) in phases { counts[fault, default: [:]][phase, default: 0] += count } }
    }

    package func count(_ fault: Fault, _ phase: Phase) -> Int { counts[fault]?[phase] ?? 0 }
    package func count(_ fault: Fault) -> Int { counts[fault]?.values.reduce(0, +) ?? 0 }

    /// Pairs that have to have met and have not.
    package var missing: [Aim] { Aim.all.filter { count($0.fault, $0.phase) == 0 } }

    /// How many pairs have to meet.
    package static let pairCount = Aim.all.count
}
