import SluiceRecords

/// `records/query`: records by what is in them, a page at a time.
struct QueryEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let body = try request.body(RecordQueryRequest.self)
        let rules = try QueryRules(body.query)
        let zone = body.zoneID ?? (body.isZoneWide ? nil : .defaultZone)
        let after = try body.continuationMarker.map { text throws(ServerError) in try QueryMarker(text, for: body).place }
        let page = try await service.storage.query(
            QueryCommand(rules, zone: zone, after: after, limit: min(body.resultsLimit ?? ServiceLimits.pageRecords, ServiceLimits.pageRecords)),
            in: request.caller.database)
        let forms = RecordForms(request, desiredKeys: body.desiredKeys)
        let response = RecordQueryResponse(
            records: try page.records.map { try forms.result($0) },
            continuationMarker: try page.next.map { try QueryMarker($0).text(for: body) })
        service.metrics.countRecords(read: page.records.count)
        var answer = try body.numbersAsStrings
            ? ServiceAnswer(NumbersAsStrings(response)) : ServiceAnswer(response, capacity: 512 * page.records.count)
        answer.recordCount = page.records.count
        return answer
    }
}
