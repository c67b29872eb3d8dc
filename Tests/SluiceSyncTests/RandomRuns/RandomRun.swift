// One random run: from a seed, devices edit, sync in pieces, crash and lose answers against a service that refuses, forgets and is restored.
// Then everything heals, and RunChecks looks. The same seed gives the same run, step by step.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceStore

@testable import SluiceSync

final class RandomRun {
    /// How rough a run is. A service that loses its memory and clocks that lie are not mixed: then nothing says which word was the last.
    enum Mishap: CaseIterable {
        case calm
        case skewedClocks
        case restoredService
        case forgetfulService
        case foreignClients
    }

    let seed: UInt64
    let random: SeededRandom
    let mishap: Mishap
    let zone = ZoneDouble()
    private(set) var devices: [DeviceDouble] = []
    var ledger = RunLedger()
    private(set) var stepCount = 0
    /// The step in which the service last lost its memory.
    private(set) var restoredAt: Int?
    private var snapshot: (entries: [String: ZoneDouble.Entry], sequence: Int64)?
    /// What happened, one line a step; for who reads a failure.
    private(set) var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed)
        mishap = Mishap.allCases[random.below(Mishap.allCases.count)]
        zone.pageSize = random.pick([1, 2, 3, 7, 200]) ?? 200
        if random.chance(40) { zone.limits = ServiceLimits(operations: 1 + random.below(5), bytes: 1_000_000) }
        if random.chance(20) { zone.operationsMaximum = 1 + random.below(4) }
        try join()
        try join()
    }

    private func join() throws {
        let device = try DeviceDouble(zone, RunSchema.entities, seed: random.next())
        device.time.now = zone.clock
        if mishap == .skewedClocks { device.time.now += Int64(random.below(7_200_000)) - 3_600_000 }
        devices.append(device)
    }

    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try heal()
    }

    private func note(_ text: String) { log.append("\(stepCount): \(text)") }

    // MARK: Steps

    private func step() throws {
        stepCount += 1
        pass(Int64(random.below(3_000)))
        let index = random.below(devices.count)
        let device = devices[index]
        switch random.below(100) {
        case 0..<45: try edit(device, index)
        case 45..<75:
            try device.ask()
            let steps = 1 + random.below(random.chance(50) ? 12 : 200)
            note("device \(index) does \(steps) pieces of work")
            _ = try device.run(steps: steps) { random.below($0) }
        case 75..<80:
            note("device \(index) works on")
            _ = try device.run(steps: 1 + random.below(30)) { random.below($0) }
        case 80..<85:
            note("device \(index) crashes")
            try device.crash()
        case 85..<89: device.lostAnswers += 1
        case 89..<91: device.lostRequests += 1
        case 91..<93: pass(Int64(random.below(600_000)))
        case 93..<96: refuse()
        case 96..<97: if devices.count < 3 { try join() }
        case 97..<98: zone.refusals = [:]
        default: misfortune()
        }
    }

    private func pass(_ milliseconds: Int64) {
        zone.clock += milliseconds
        for device in devices { device.time.now += milliseconds }
    }

    private func refuse() {
        guard let name = random.pick(ledger.names) else { return }
        let errors = [ServerError(.tryAgainLater, "busy"), ServerError(.throttled, "slow", retryAfter: 2), ServerError(.badRequest, "no")]
        zone.refusals[name.text] = random.pick(errors)
        note("the service refuses \(name)")
    }

    private func misfortune() {
        note("\(mishap)")
        switch mishap {
        case .calm, .skewedClocks:
            pass(8 * 86_400_000)
            zone.forgetOperations()
        case .restoredService:
            if let taken = snapshot, random.chance(50) {
                zone.restore(taken)
                restoredAt = stepCount
                snapshot = nil
            } else {
                snapshot = snapshot ?? zone.snapshot()
            }
        case .forgetfulService: zone.forgetTombstones()
        case .foreignClients:
            let live = zone.live.filter { ["Box", "Note", "Topic"].contains($0.recordType) }.map(\.recordName).sorted()
            guard let name = random.pick(live) else { return }
            zone.foreignWrite(name, ["text": Field(.string("foreign \(stepCount)"))])
            ledger.touched(RecordName(name), at: stepCount)
        }
    }

    // MARK: Edits

    private func edit(_ device: DeviceDouble, _ index: Int) throws {
        let before = try device.store.lastChange()
        let edit = RunEdit.random(device.store, random, step: stepCount)
        note("device \(index) \(edit)")
        do { try edit.carryOut(on: device.store) } catch let error as StoreError { note("which fails: \(error)") }
        try ledger.observe(device.store, after: before, step: stepCount)
    }

    // MARK: Afterwards

    private func heal() throws {
        zone.refusals = [:]
        for device in devices {
            device.lostAnswers = 0
            device.lostRequests = 0
        }
        for _ in 0..<6 {
            for device in devices {
                for record in try device.store.setAsideRecords(limit: 1_000) { try device.store.retry(record.name) }
                pass(400_000)
                try device.wake()
                try device.sync()
            }
        }
    }
}
