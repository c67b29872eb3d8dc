import Foundation
import SluiceDigest
import SluiceHTTPServer
import SluiceRecords

/// `records/modify`: checks and encodes what can be checked and encoded before the one writer gets to see it.
struct ModifyEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let body = try request.body(ModifyRequest.self)
        try checkCount(body.elements.count, request)
        let zone = body.zoneID ?? body.operations.lazy.compactMap(\.record.zoneID).first ?? .defaultZone
        let elements = try await service.recordTypes.checked(
            body.elements.map { prepared($0, in: zone, of: request.caller.database) }, zone: zone, in: request.caller.database, of: request.path)
        let command = ModifyCommand(
            database: request.caller.database, zone: zone, isAtomic: try isAtomic(body, zone), elements: elements, operation: try operationID(request), deviceID: request.caller.holder,
            quota: service.configuration.quota, buriesUnknown: request.isSluice)
        switch try await service.storage.modify(command) {
        case .replay(let body):
            service.metrics.countRecords(isReplay: true)
            return ServiceAnswer(replaying: body)
        case .done(let results):
            await learn(elements, results, request)
            let forms = RecordForms(request, service, desiredKeys: body.desiredKeys)
            var answer = try encode(results.map { try forms.result($0) }, body.numbersAsStrings)
            answer.recordCount = results.count
            service.metrics.countRecords(written: results.count { $0.error == nil })
            return answer
        }
    }

    /// The records are written: what cannot be noted of them now is noted with the next of the kind.
    private func learn(_ elements: [PreparedElement], _ results: [RecordResult], _ request: ServiceRequest) async {
        do { try await service.recordTypes.learn(elements, results, of: request.path) } catch { service.report("record types: \(error)") }
    }

    private func encode(_ results: [RecordResult], _ numbersAsStrings: Bool) throws -> ServiceAnswer {
        guard numbersAsStrings else { return try ServiceAnswer(RecordsResponse(records: results), capacity: 128 * results.count) }
        return try ServiceAnswer(NumbersAsStrings(RecordsResponse(records: results)))
    }

    private func checkCount(_ count: Int, _ request: ServiceRequest) throws(ServerError) {
        let limits = request.isSluice ? service.configuration.limits : .cloudKit
        guard count > limits.operations else { return }
        let reason = "a request may carry at most \(limits.operations) operations"
        throw request.isSluice ? ServerError(.limitExceeded, reason, limits: limits) : ServerError(.badRequest, reason)
    }

    private func isAtomic(_ body: ModifyRequest, _ zone: ZoneID) throws(ServerError) -> Bool {
        guard zone.isDefault else { return body.isAtomic ?? true }
        if body.isAtomic == true { throw ServerError(.badRequest, "atomic operations not supported in default zone") }
        return false
    }

    private func operationID(_ request: ServiceRequest) throws(ServerError) -> OperationID? {
        guard let id = request.http.headers[SluiceHeader.idempotencyKey] else { return nil }
        guard (1...255).contains(id.utf8.count) else { throw ServerError(.badRequest, "an idempotency key is 1 to 255 characters") }
        return OperationID(holder: request.caller.holder, id: id, digest: Digest.sha256(request.http.body))
    }

    private func prepared(_ element: ModifyRequest.Element, in zone: ZoneID, of database: DatabaseID) -> PreparedElement {
        switch element {
        case .refused(let recordName, let error): return .refused(recordName: recordName, error)
        case .operation(var operation):
            if operation.record.recordName.isEmpty { operation.record.recordName = service.requestUUID() }
            let recordName = operation.record.recordName
            if let other = operation.record.zoneID, other.zoneName != zone.zoneName {
                return .refused(recordName: recordName, ServerError(.badRequest, "all records of a request are in one zone"))
            }
            if let refusal = RequestRules.refusal(of: operation.record, keepsAssets: service.files != nil) {
                return .refused(recordName: recordName, refusal)
            }
            do throws(ServerError) {
                if let files = service.files { operation.record.fields = try files.withoutReceipts(operation.record.fields, in: database) }
            } catch { return .refused(recordName: recordName, error) }
            do {
                return .operation(try PreparedOperation(operation))
            } catch {
                return .refused(recordName: recordName, ServerError(.badRequest, error.description))
            }
        }
    }
}

/// An answer whose field numbers are written as text.
struct NumbersAsStrings<Value: WireEncodable>: WireEncodable {
    private let value: Value
    init(_ value: Value) { self.value = value }

    func write(to writer: inout JSONWriter) throws(WireError) {
        writer.numbersAsStrings = true
        try value.write(to: &writer)
        writer.numbersAsStrings = false
    }
}
