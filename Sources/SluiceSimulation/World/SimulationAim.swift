// Faults that strike just when a device is in a certain phase: chance alone would take thousands of runs to bring some of them together.

import SluiceStore

extension Simulation {
    /// Lets the fault strike that waits for a device to come to this phase.
    func takeAim(at device: SimulatedDevice, _ phase: Phase?) async throws {
        guard let aim, let phase, aim.phase == phase, !isHealed, let fault = step(for: aim.fault, device) else { return }
        // At its start a core asks for what waits to be looked up; mostly nothing does, and then there is no request.
        if phase == .reconcile, try device.store?.recordsToReconcile(limit: 1).isEmpty != false { return }
        self.aim = nil
        note("\(aim.fault.rawValue) strikes device \(device.index) in \(phase.rawValue)")
        switch fault {
        case .request: nextFault = aim.fault
        case .steps(let steps): for step in steps { try await take(step, stepsDone) }
        }
    }

    private enum Strike {
        /// The request that comes next meets it.
        case request
        case steps([Scenario.Step])
    }

    /// Nil where there is nothing to strike at yet.
    private func step(for fault: Fault, _ device: SimulatedDevice) -> Strike? {
        func steps(_ actions: (Scenario.Action, Int64)...) -> Strike {
            .steps(actions.map { .init($0.0, device: device.index, draw: UInt32(truncatingIfNeeded: random.next()), amount: $0.1) })
        }
        switch fault {
        case .requestLost, .requestTruncated, .answerLost, .requestDuplicated, .requestOvertaken, .answerTruncated, .resetBeforeEffect, .resetAfterEffect, .gatewayError:
            return .request
        case .partition: return steps((.partition, 40_000))
        case .partitionOutward: return steps((.partitionOutward, 40_000))
        case .partitionInward: return steps((.partitionInward, 40_000))
        case .crash: return steps((.crash, 100))
        case .crashInTransaction: return steps((.crashInTransaction, random.between(0, 4)))
        case .powerLoss: return steps((.losePower, 100))
        case .powerLossInTransaction: return steps((.losePowerInTransaction, random.between(0, 4)))
        case .writeFailed: return steps((.failWrites, random.between(0, 3)))
        case .diskFull: return steps((.fillDisk, 4_000))
        case .clockForward: return steps((.moveClock, 86_400_000 * 400))
        case .clockBack: return steps((.moveClock, -86_400_000 * 400))
        case .serviceRestart: return steps((.restartService, 0))
        case .storageFailure: return steps((.failStorage, 1))
        case .recordRefused: return model.knownNames.isEmpty ? nil : steps((.refuse, 1))
        case .throttled: return steps((.throttle, 2_000))
        case .quotaFull: return steps((.fillQuota, 1))
        case .ledgerForgotten: return steps((.passDays, 8))
        case .tombstonesForgotten: return steps((.passDays, 91))
        case .serviceRestored: return serviceCopies.isEmpty ? steps((.copyService, 0), (.restoreService, 1)) : steps((.restoreService, random.between(0, 1)))
        case .zoneDeleted: return device.phase == .createZone ? nil : steps((.deleteZone, 0))
        case .zonePurged: return device.phase == .createZone ? nil : steps((.deleteZone, 1))
        case .encryptedDataReset: return device.phase == .createZone ? nil : steps((.deleteZone, 2))
        case .zoneRemade: return device.phase == .createZone ? nil : steps((.deleteZone, 0), (.remakeZone, 0))
        case .edit: return steps((.edit, 0))
        case .pause: return steps((.pause, 0))
        case .accountSwitched: return steps((.switchAccount, 1))
        case .tokenRevoked: return steps((.revokeToken, 0))
        case .deviceRestored: return device.backup == nil ? nil : steps((.restoreDevice, 0))
        case .deviceCloned: return steps((.cloneDevice, 0))
        case .stateLost: return steps((.loseState, 0))
        case .upgrade: return device.version > 1 ? nil : steps((.upgrade, 0))
        case .foreignWrite: return steps((.foreignWrite, 0))
        }
    }
}
