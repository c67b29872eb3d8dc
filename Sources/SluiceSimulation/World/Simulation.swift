// A run: everything that is to happen waits in one list, ordered by virtual time; whatever happens may put more into it. One task, so nothing
// depends on threads; the service's endpoints suspend, and nobody else runs meanwhile.
//
// SimulationNetwork.swift carries requests, SimulationSteps.swift does what a scenario says, SimulationEnd.swift heals everything and looks.

package import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceStore
import SluiceSync

/// One run of a scenario. Used once.
package final class Simulation {
    /// What may happen to a device, or to the service on its behalf.
    enum Happening {
        case boot
        case perform(SyncEffect)
        case arrive(Exchange, isDuplicate: Bool)
        case answer(Exchange, ExchangeAnswer)
        case fail(Exchange, RequestFailure)
        case wake
        case poll
        /// The service has something new.
        case news
        /// The device's own rows changed.
        case changed
        case step(Int)
    }

    private struct Scheduled {
        let time: Int64
        let order: Int
        let device: Int
        let process: Int
        let happening: Happening
    }

    /// A request on its way.
    struct Exchange {
        let number: Int
        let effect: SyncEffect
        let request: ExchangeRequest
        let token: String
        let sentAt: Int64
    }

    static let beginning: Int64 = 1_700_000_000_000

    package let scenario: Scenario
    let seams: Seams
    let clock = WorldClock(Simulation.beginning)
    let random: SeededRandom
    let service: SimulatedService
    package internal(set) var devices: [SimulatedDevice] = []
    let model = ReferenceModel()
    var cards = CardModel()
    let watch = EffectWatch()
    let folder: URL
    private var queue: [Scheduled] = []
    private var orderCount = 0
    var exchangeCount = 0
    package internal(set) var coverage = Coverage()
    package private(set) var violations: [String] = []
    /// What happened, one line each; for who reads a failure.
    package private(set) var log: [String] = []
    package internal(set) var requestCount = 0
    /// What all devices hold at the end of a run without a violation; empty before.
    package internal(set) var finalRows: [String: DeviceRow] = [:]
    private let isTracing: Bool
    /// No fault strikes any more.
    var isHealed = false
    var stepsDone = 0
    /// Until when nothing gets through, by device.
    var outwardUntil: [Int: Int64] = [:]
    var inwardUntil: [Int: Int64] = [:]
    var serviceCopies: [String] = []
    var backupTimes: [Int: Int64] = [:]
    /// The latest arrival of each device so far: one before it overtook another.
    var lastNumberArrived: [Int: Int] = [:]
    /// What is still to strike.
    var aim: Aim?
    /// The fault of the network that the next request meets.
    var nextFault: Fault?
    /// Somebody deleted the zone, and nobody has said yet that it is to be made again.
    var zoneIsDeleted = false
    /// When each device asked for something in the last minute.
    var recentRequests: [Int: [Int64]] = [:]
    /// By device and user.
    var tokens: [String: String] = [:]

    /// - Parameters:
    ///   - isTracing: whether the log tells of requests and answers.
    ///   - folder: where files go; nil makes one in memory, or where temporary files are.
    package init(_ scenario: Scenario, seams: Seams = Seams(), isTracing: Bool = false, folder: URL? = nil) throws {
        self.scenario = scenario
        self.isTracing = isTracing
        self.seams = seams
        aim = scenario.aim
        random = SeededRandom(scenario.seed &* 0x9E37_79B9 &+ 17)
        self.folder = try folder ?? Self.makeFolder()
        service = try SimulatedService(scenario, folder: self.folder, clock: clock, random: SeededRandom(scenario.seed &+ 0x5EED))
    }

    deinit {
        // The system's own upkeep of temporary files gets what cannot be removed now.
        try? FileManager.default.removeItem(at: folder)
    }

    private static func makeFolder() throws -> URL {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let isUsable = FileManager.default.isWritableFile(atPath: memory.path)
        let folder = (isUsable ? memory : FileManager.default.temporaryDirectory).appending(path: "sluice-simulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    // MARK: The run

    /// Runs the scenario, lets everything heal, and looks.
    package func run() async throws {
        // Somebody else uses the same program: a zone of that name is in their database too.
        if scenario.theme == .accounts { try await service.makeZone(user: 1) }
        for _ in 0..<max(1, scenario.deviceCount) { try addDevice() }
        if let first = scenario.steps.first { schedule(.step(0), after: first.after) }
        do {
            while stepsDone < scenario.steps.count, violations.isEmpty { guard try await happenNext() else { break } }
            if violations.isEmpty { try await end() }
        } catch {
            violate("a step threw \(error)")
        }
        for device in devices { try device.stop() }
        await service.close()
    }

    @discardableResult
    func addDevice() throws -> SimulatedDevice {
        let index = devices.count
        let device = try SimulatedDevice(
            index: index, folder: folder.appending(path: "device \(index)"), clock: DeviceClock(clock),
            random: SeededRandom(scenario.seed &* 31 &+ UInt64(index) &+ 1), service: service, seams: seams,
            hasFallibleDisk: scenario.needsFallibleDisk)
        devices.append(device)
        schedule(.boot, device, after: 1)
        return device
    }

    /// - Returns: false where nothing is left to happen.
    func happenNext() async throws -> Bool {
        guard let position = queue.indices.min(by: { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) }) else { return false }
        let next = queue.remove(at: position)
        clock.move(to: next.time)
        if case .step(let number) = next.happening {
            stepsDone = number + 1
            try await take(scenario.steps[number], number)
            let later = number + 1
            if scenario.steps.indices.contains(later) { schedule(.step(later), after: scenario.steps[later].after) }
            return true
        }
        let device = devices[next.device]
        do { try await happen(next.happening, to: device, process: next.process) } catch is ProcessDeath { try die(device) }
        return true
    }

    func schedule(_ happening: Happening, _ device: SimulatedDevice? = nil, after delay: Int64) {
        orderCount += 1
        queue.append(
            Scheduled(
                time: clock.now + max(0, delay), order: orderCount, device: device?.index ?? 0, process: device?.process ?? 0, happening: happening))
    }

    /// Nothing is on its way and nobody is at work.
    var isStill: Bool {
        !queue.contains { scheduled in
            switch scheduled.happening {
            case .boot, .step: true
            case .perform, .arrive, .answer, .fail, .news, .changed: scheduled.process == devices[scheduled.device].process
            case .wake, .poll: false
            }
        }
    }

    /// What was on its way for longer than any network keeps it is lost.
    func loseRequests() {
        var lost: [(SimulatedDevice, Exchange)] = []
        queue.removeAll { scheduled in
            switch scheduled.happening {
            case .arrive(let exchange, let isDuplicate):
                if !isDuplicate { lost.append((devices[scheduled.device], exchange)) }
                return true
            case .answer(let exchange, _):
                lost.append((devices[scheduled.device], exchange))
                return true
            default: return false
            }
        }
        for (device, exchange) in lost { schedule(.fail(exchange, .unreachable("timed out")), device, after: 1) }
    }

    // MARK: Devices

    private func happen(_ happening: Happening, to device: SimulatedDevice, process: Int) async throws {
        switch happening {
        case .step: return
        case .boot: return try await boot(device)
        // The service does what arrives, whoever has gone meanwhile.
        case .arrive(let exchange, let isDuplicate):
            return try await arrive(exchange, from: device, process: process, isDuplicate: isDuplicate)
        default: break
        }
        guard process == device.process, device.isUp else { return }
        switch happening {
        case .perform(let effect):
            try await takeAim(at: device, Phase(effect))
            // It may have been the end of the process.
            if process == device.process, device.isUp { try perform(effect, device) }
        case .answer(let exchange, let answer): try take(answer, of: exchange, device)
        case .fail(let exchange, let failure): try fail(exchange, failure, device)
        case .wake:
            if device.outstanding.isEmpty { try await takeAim(at: device, Phase(device.core.state)) }
            if process == device.process, device.isUp { try handle(.woke, device) }
        case .news: try handle(.shouldPull, device)
        case .changed: try handle(.changedLocally, device)
        case .poll:
            if device.outstanding.isEmpty { try await takeAim(at: device, Phase(device.core.state)) }
            guard process == device.process, device.isUp else { return }
            schedule(.poll, device, after: random.between(90_000, 180_000))
            try handle(.shouldPull, device)
            try handle(.changedLocally, device)
        case .boot, .arrive, .step: break
        }
    }

    private func boot(_ device: SimulatedDevice) async throws {
        guard !device.isUp else { return }
        for user in SimulatedService.users.indices {
            tokens["\(device.index) \(user)"] = try await service.token(ofDevice: device.holder, user: user)
        }
        try device.start()
        note("device \(device.index) starts")
        for event in try device.started() { try handle(event, device) }
        schedule(.poll, device, after: random.between(90_000, 180_000))
    }

    /// The process ended in the middle of a transaction.
    func die(_ device: SimulatedDevice) throws {
        strike(device.losesPower ? .powerLossInTransaction : .crashInTransaction, device)
        if device.losesPower { try losePower(device, after: 50) } else { try restart(device, after: 50) }
    }

    func losePower(_ device: SimulatedDevice, after delay: Int64) throws {
        note("device \(device.index) loses power")
        try device.losePower()
        schedule(.boot, device, after: delay)
    }

    /// The process ends, and another begins.
    func restart(_ device: SimulatedDevice, after delay: Int64) throws {
        note("device \(device.index) ends")
        try device.stop()
        schedule(.boot, device, after: delay)
    }

    func handle(_ event: SyncEvent, _ device: SimulatedDevice) throws {
        for event in try seams.events(event, device) {
            for effect in device.core.handle(event, at: device.clock.now, random: device.random.next()) {
                for effect in try seams.effects(effect, device) {
                    if Phase(effect) != nil { device.outstanding.append(effect) }
                    schedule(.perform(effect), device, after: random.between(0, 20))
                }
            }
        }
        if case .blocked(let reason) = device.core.state {
            switch reason {
            case .refused, .store, .untrustedCertificate, .noCredentials: violate("device \(device.index) is blocked: \(reason.text)")
            case .notAuthorized, .accountChanged, .zoneDeleted: break
            }
        }
        // As the daemon does it when all is in step.
        if device.core.isQuiet, let next = try device.store?.outboxSummary(at: device.clock.now).nextAttempt {
            schedule(.wake, device, after: next - device.clock.now)
        }
    }

    private func perform(_ effect: SyncEffect, _ device: SimulatedDevice) throws {
        guard let exchange = device.exchange else { return }
        try guarded(effect, device) {
            switch try device.onDisk(at: clock.now, {
                try seams.willBegin(effect, device)
                return try exchange.begin(effect, at: device.clock.now) { device.random.uuid() }
            }) {
            case .done(let report): try finished(effect, report, device)
            case .request(let request): try send(request, for: effect, device)
            case .wait(let time): schedule(.wake, device, after: time - device.clock.now)
            }
        }
    }

    private func take(_ answer: ExchangeAnswer, of exchange: Exchange, _ device: SimulatedDevice) throws {
        guard let sync = device.exchange else { return }
        let effect = exchange.effect
        try guarded(effect, device) {
            var answer = try seams.answer(answer, to: effect, device)
            answer.serviceTime = seams.serviceTime(answer.serviceTime, device)
            let report = try device.onDisk(at: clock.now) {
                try seams.willFinish(effect, answer, device)
                return try sync.finish(effect, with: answer, at: device.clock.now)
            }
            device.unrecorded.removeAll { $0.effect == effect }
            try finished(effect, report, device)
        }
    }

    private func finished(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        try seams.didFinish(effect, report, device)
        trace("  device \(device.index) \(effect) → \(report.event.map { "\($0)" } ?? "nothing")\(report.page.map { " \($0)" } ?? "")")
        device.finished(effect)
        if report.page != nil, random.chance(20) { for fault in try Checks.structure(of: device) { violate(fault) } }
        if let event = report.event { try handle(event, device) }
    }

    private func fail(_ exchange: Exchange, _ failure: RequestFailure, _ device: SimulatedDevice) throws {
        device.finished(exchange.effect)
        if let event = device.exchange?.event(for: failure, of: exchange.effect) { try handle(event, device) }
    }

    /// Turns what a step throws into what the core is told.
    private func guarded(_ effect: SyncEffect, _ device: SimulatedDevice, _ body: () throws -> Void) throws {
        do { try body() } catch let death as ProcessDeath {
            throw death
        } catch let failure as RequestFailure {
            device.unrecorded.removeAll { $0.effect == effect }
            device.finished(effect)
            if let event = device.exchange?.event(for: failure, of: effect) { try handle(event, device) }
        } catch {
            if let error = error as? SQLiteError, let phase = Phase(effect) {
                if .full ~= error.code { coverage.note(.diskFull, phase) }
                if device.hadFailedWrites() { coverage.note(.writeFailed, phase) }
            }
            device.unrecorded.removeAll { $0.effect == effect }
            device.finished(effect)
            note("device \(device.index) \(effect): \(text(of: error))")
            try handle(SyncExchange.event(forStoreFailure: error), device)
        }
    }

    // MARK: Notes

    /// Without the folder, which is another one each time.
    func text(of error: any Error) -> String { "\(error)".replacingOccurrences(of: folder.path + "/", with: "") }

    /// For who follows one run: requests and answers too.
    func trace(_ text: @autoclosure () -> String) { if isTracing { note(text()) } }

    func note(_ text: @autoclosure () -> String) {
        log.append("\(clock.now - Self.beginning) ms: \(text())")
    }

    func violate(_ text: String) {
        violations.append(text)
        note("VIOLATION \(text)")
    }

    /// Notes that a fault struck a device in whatever it is doing.
    func strike(_ fault: Fault, _ device: SimulatedDevice) { coverage.note(fault, device.phase) }
}
