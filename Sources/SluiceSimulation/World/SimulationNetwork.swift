// The way of requests and answers: what is lost, cut, doubled, late, and what is not there to answer.

import Foundation
import SluiceRecords
import SluiceSync

extension Simulation {
    /// Milliseconds until a client gives up on an answer.
    private static let timeout: Int64 = 30_000
    /// What a service that takes one operation in a request may need of a device with a few dozen records.
    private static let requestsPerMinuteMax = 500
    private static let network = RequestFailure.unreachable("timed out")

    private func strikes(_ fault: Fault, _ phase: Phase?) -> Bool {
        guard !isHealed else { return false }
        let isAimed = nextFault == fault
        guard isAimed || scenario.network.faults[fault].map(random.chance) == true else { return false }
        if isAimed { nextFault = nil }
        if let phase { coverage.note(fault, phase) }
        return true
    }

    private func delay() -> Int64 { random.between(1, max(1, scenario.network.delay)) }

    func send(_ request: ExchangeRequest, for effect: SyncEffect, _ device: SimulatedDevice) throws {
        exchangeCount += 1
        requestCount += 1
        if let operation = request.operation { device.attempts[operation, default: 0] += 1 }
        let attempt = request.operation.flatMap { device.attempts[$0] } ?? 1
        try boundRate(of: device)
        let request = try seams.request(request, for: effect, attempt: attempt, device)
        if let fault = watch.sees(request, at: clock.now) { violate(fault) }
        guard !device.tokenIsRevoked || isHealed else {
            if let phase = Phase(effect) { coverage.note(.tokenRevoked, phase) }
            let exchange = Exchange(number: exchangeCount, effect: effect, request: request, token: "", sentAt: clock.now)
            return schedule(.arrive(exchange, isDuplicate: false), device, after: delay())
        }
        let token = tokens["\(device.index) \(device.user)"] ?? ""
        let exchange = Exchange(number: exchangeCount, effect: effect, request: request, token: token, sentAt: clock.now)
        let phase = Phase(effect)
        if let expected = request.credentials, expected != CredentialMark([token]) {
            return schedule(.fail(exchange, .credentialsChanged), device, after: 1)
        }
        if !isHealed, clock.now < outwardUntil[device.index, default: 0] || strikes(.requestLost, phase) {
            return schedule(.fail(exchange, Self.network), device, after: Self.timeout)
        }
        if strikes(.resetBeforeEffect, phase) {
            return schedule(.fail(exchange, .unreachable("the connection was reset")), device, after: delay())
        }
        let isHeldUp = nextFault == .requestOvertaken
        if isHeldUp {
            // One more of the kind, from before the core was asked again, is what overtakes it.
            nextFault = nil
            if let phase { coverage.note(.requestOvertaken, phase) }
            schedule(.arrive(exchange, isDuplicate: true), device, after: 1)
        }
        schedule(.arrive(exchange, isDuplicate: false), device, after: isHeldUp ? 20_000 : delay())
        // A proxy below us that thinks it helps.
        if strikes(.requestDuplicated, phase) { schedule(.arrive(exchange, isDuplicate: true), device, after: delay() + random.between(0, 60_000)) }
    }

    /// I-10: nothing is tried again and again without a pause.
    private func boundRate(of device: SimulatedDevice) throws {
        let recent = recentRequests[device.index, default: []].filter { $0 > clock.now - 60_000 } + [clock.now]
        recentRequests[device.index] = recent
        guard recent.count > Self.requestsPerMinuteMax else { return }
        recentRequests[device.index] = []
        violate("I-10 device \(device.index) made \(recent.count) requests in a minute")
    }

    func arrive(_ exchange: Exchange, from device: SimulatedDevice, process: Int, isDuplicate: Bool) async throws {
        let phase = Phase(exchange.effect)
        let isLate = exchange.number < lastNumberArrived[device.index, default: 0]
        lastNumberArrived[device.index] = max(exchange.number, lastNumberArrived[device.index, default: 0])
        if isLate, !isDuplicate, let phase { coverage.note(.requestOvertaken, phase) }
        func back(_ happening: Happening, after delay: Int64) {
            guard !isDuplicate, process == device.process else { return }
            schedule(happening, device, after: delay)
        }
        if strikes(.requestTruncated, phase) {
            let whole = exchange.request
            let request = ExchangeRequest(
                whole.endpoint, scope: whole.scope, body: whole.body.prefix(random.below(max(1, whole.body.count))), operation: whole.operation)
            _ = await service.answer(request, token: exchange.token.isEmpty ? nil : exchange.token)
            if !service.storage.report().taken.isEmpty { violate("I-2 half a request had an effect: \(text(request.body))") }
            return back(.fail(exchange, .unreachable("the connection was reset")), after: delay())
        }
        if strikes(.gatewayError, phase) {
            let page = ExchangeAnswer(status: 503, body: Data("<html>Service Unavailable</html>".utf8), retryAfter: 2)
            return back(.answer(exchange, page), after: delay())
        }
        var answer = await service.answer(exchange.request, token: exchange.token.isEmpty ? nil : exchange.token)
        if answer.status == 429, let phase { coverage.note(.throttled, phase) }
        try takeNote(of: exchange)
        trace(
            "  the service answers device \(device.index)\(isDuplicate ? " (a copy)" : ""): \(text(exchange.request.body)) → "
                + "\(answer.status) \(text(answer.body))")
        if !isHealed, clock.now < inwardUntil[device.index, default: 0] || strikes(.answerLost, phase) {
            return back(.fail(exchange, Self.network), after: Self.timeout)
        }
        if strikes(.resetAfterEffect, phase) { return back(.fail(exchange, .unreachable("the connection was reset")), after: delay()) }
        if answer.status == 200, strikes(.answerTruncated, phase) {
            answer.body = answer.body.prefix(random.below(max(1, answer.body.count)))
        }
        answer.credentials = CredentialMark([exchange.token])
        if process == device.process { device.unrecorded.append((exchange.effect, answer)) }
        back(.answer(exchange, answer), after: delay())
    }

    private func text(_ body: Data) -> String { String(decoding: body.prefix(4_000), as: UTF8.self) }

    /// What storage saw: for the model, for who waits for news, and for I-2.
    private func takeNote(of exchange: Exchange) throws {
        let report = service.storage.report()
        for _ in 0..<report.failed { if let phase = Phase(exchange.effect) { coverage.note(.storageFailure, phase) } }
        for _ in 0..<report.refused { coverage.note(.recordRefused, .send) }
        for taken in report.taken {
            if let fault = watch.tookEffect(taken) { violate(fault) }
            for record in taken.records { try model.admitted(record.name, fieldsJSON: record.fieldsJSON, at: taken.time) }
        }
        // Who hears of a conflicting write before the answer to its own pulls, and has nothing left to look up.
        guard !report.taken.isEmpty, aim?.phase != .reconcile || isHealed else { return }
        // Whoever waits at the service hears of it.
        for device in devices where device.isUp && (isHealed || clock.now >= inwardUntil[device.index, default: 0]) {
            if isHealed || random.chance(70) { schedule(.news, device, after: delay()) }
        }
    }
}
