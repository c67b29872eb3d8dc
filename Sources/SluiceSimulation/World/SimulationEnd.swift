// The end of a run: every fault stops, people do what only people can do, and everything has to come into step in a bounded time.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceStore
import SluiceSync

extension Simulation {
    /// Milliseconds of virtual time in which everything has to be in step once nothing disturbs it any more: the longest that a service may ask
    /// to wait, and as much again for what had to wait for that.
    private static let convergenceBound: Int64 = 2 * 3_600_000
    /// Between two looks.
    private static let interval: Int64 = 30_000
    private static let happeningCountMax = 400
    /// Requests that one device may need for it. The schedule alone asks 150 times.
    private static let requestCountMax = 600

    func end() async throws {
        if zoneIsDeleted, try await service.contents(user: 0) != nil { return violate("the zone that somebody deleted is there again, and nobody said so") }
        try await heal()
        let deadline = clock.now + Self.convergenceBound
        let requestsBefore = requestCount
        var unrest: [String] = ["nobody has looked"]
        while clock.now < deadline, violations.isEmpty, !unrest.isEmpty {
            let until = clock.now + Self.interval
            while clock.now < until, violations.isEmpty { guard try await happenNext() else { break } }
            try act()
            // After a purge nobody needs the zone before there is something new; a person wants to see it.
            if try await service.contents(user: 0) == nil, let first = devices.first { try handle(.recreateZone, first) }
            // Whatever that or the last look at the schedule set going has a little time to come to its end.
            for _ in 0..<Self.happeningCountMax where violations.isEmpty && !isStill { guard try await happenNext() else { break } }
            unrest = try await self.unrest()
        }
        guard violations.isEmpty else { return }
        for text in unrest { violate("not in step after \(Self.convergenceBound / 1_000) s: \(text)") }
        if requestCount - requestsBefore > Self.requestCountMax * devices.count {
            violate("I-10 \(requestCount - requestsBefore) requests of \(devices.count) devices until all was in step")
        }
        guard violations.isEmpty else { return }
        try await judge()
    }

    private func heal() async throws {
        isHealed = true
        note("everything heals")
        service.storage.heal()
        service.throttledUntil = 0
        for device in devices {
            device.fullUntil = 0
            device.failWrites(after: nil)
            device.questionsLeft = nil
            device.tokenIsRevoked = false
            if device.user != 0 {
                device.user = 0
                if device.isUp { try handle(.retryNow, device) }
            }
            if !device.isUp { schedule(.boot, device, after: 1) }
        }
    }

    /// What a person does who looks at the status of each device.
    private func act() throws {
        for device in devices {
            guard let store = device.store else { continue }
            switch device.core.state {
            case .paused:
                try store.setSyncValue(.integer(0), for: .paused)
                try handle(.resume, device)
            case .blocked(.zoneDeleted): try handle(.recreateZone, device)
            case .blocked(.notAuthorized), .blocked(.accountChanged): try handle(.retryNow, device)
            default: break
            }
            let setAside = try store.setAsideRecords(limit: 1_000)
            for record in setAside { try store.retry(record.name) }
            if !setAside.isEmpty { try handle(.changedLocally, device) }
        }
    }

    private func unrest() async throws -> [String] {
        guard isStill else { return ["something is on its way"] }
        let head = try await service.contents(user: 0)?.head
        return try devices.compactMap { device in try Checks.unrest(of: device, head: head).map { "device \(device.index): \($0)" } }
    }

    private func judge() async throws {
        guard let contents = try await service.contents(user: 0) else { return violate("the zone is gone at the end") }
        let live = contents.records.filter { !$0.isDeleted }
        let digest = try Checks.digest(of: live)
        for device in devices {
            if try device.journal?.digest().text != digest {
                violate("I-3 device \(device.index) differs: \(try Checks.difference(device, live))")
            }
            for fault in try Checks.structure(of: device) { violate(fault) }
            for fault in try device.look() { violate(fault) }
            for fault in try bounds(of: device) { violate(fault) }
        }
        if let others = try await service.contents(user: 1), !others.records.isEmpty {
            violate("records of \(SimulatedService.users[0]) are in \(SimulatedService.users[1])'s database: \(others.records.map(\.recordName))")
        }
        guard let witness = devices.max(by: { ($0.version, $1.index) < ($1.version, $0.index) }) else { return }
        finalRows = try witness.rows()
        for fault in model.faults(finalRows) + cards.faults(finalRows) { violate(fault) }
    }

    /// I-10, as far as it can be seen in a short run.
    private func bounds(of device: SimulatedDevice) throws -> [String] {
        guard let store = device.store else { return [] }
        let members = try store.connection.integer("SELECT count(*) FROM _sluice_member")
        return members == 0 ? [] : ["I-10 device \(device.index) keeps \(members) members of operations that are over"]
    }
}
