import SluiceRecords

/// `records/lookup`: records of one zone by name.
struct LookupEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let body = try request.body(LookupRequest.self)
        let maximum = (request.isSluice ? service.configuration.limits : .cloudKit).operations
        guard body.recordNames.count <= maximum else { throw ServerError(.badRequest, "a request may name at most \(maximum) records") }
        let token = try await CurrentSyncToken(service: service).text(for: request, zone: body.zoneID ?? .defaultZone)
        let past = request.isSluice ? KnownPast(token: try SyncToken(ofZone: body.syncToken), seen: try request.seen(body.seenTags)) : KnownPast()
        let zone = body.zoneID ?? .defaultZone
        let found = try await service.storage.records(named: body.recordNames, zone: zone, knowing: past, in: request.caller.database)
        let forms = RecordForms(request, service, desiredKeys: body.desiredKeys)
        let results = try zip(body.recordNames, found).map { name, stored -> RecordResult in
            guard let stored else { return .failure(recordName: name, ServerError(.notFound, "Record not found")) }
            return try forms.result(stored)
        }
        service.metrics.countRecords(read: results.count)
        let response = RecordsResponse(records: results, syncToken: token, epoch: request.isSluice ? try await service.storage.epoch : nil)
        var answer = try body.numbersAsStrings ? ServiceAnswer(NumbersAsStrings(response)) : ServiceAnswer(response, capacity: 512 * results.count)
        answer.recordCount = results.count
        return answer
    }
}
