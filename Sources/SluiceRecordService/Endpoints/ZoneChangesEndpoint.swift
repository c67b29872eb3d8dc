import SluiceRecords

/// `changes/zone`, and its deprecated form for one zone, `records/changes`.
struct ZoneChangesEndpoint {
    let service: RecordService
    /// Zones in one request.
    private static let zoneCountMax = 200

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        if request.endpoint == .recordsChanges {
            let query = try request.body(SingleZoneQuery.self).query
            let page = try await changes(query, request)
            return try counted(ServiceAnswer(RecordChangesResponse(page: page), capacity: 512 * page.records.count), page.records.count)
        }
        let queries = try request.body(ZoneChangesRequest.self).zones
        guard queries.count <= Self.zoneCountMax else {
            throw ServerError(.badRequest, "a request may name at most \(Self.zoneCountMax) zones")
        }
        var elements: [ZoneChangesResponse.Element] = []
        var count = 0
        for query in queries {
            do {
                let page = try await changes(query, request)
                count += page.records.count
                elements.append(.changes(page))
            } catch {
                elements.append(.failure(query.zoneID, service.serverError(for: error, isSluice: request.isSluice)))
            }
        }
        let response = ZoneChangesResponse(zones: elements, epoch: request.isSluice ? try await service.storage.epoch : nil)
        return counted(try ServiceAnswer(response, capacity: 512 * count), count)
    }

    private func counted(_ answer: ServiceAnswer, _ count: Int) -> ServiceAnswer {
        service.metrics.countRecords(read: count)
        var answer = answer
        answer.recordCount = count
        return answer
    }

    private func changes(_ query: ZoneChangesRequest.Query, _ request: ServiceRequest) async throws -> ZoneChanges {
        guard !query.zoneID.isDefault else { throw ServerError(.badRequest, "cannot get changes in default zone") }
        let maximum = request.isSluice ? service.configuration.limits.operations : ServiceLimits.pageRecords
        let page = try await service.storage.zoneChanges(
            FeedQuery(
                zone: query.zoneID, token: try SyncToken(ofZone: query.syncToken), isReversed: query.isReversed,
                limit: min(query.resultsLimit ?? maximum, maximum), recordTypes: query.desiredRecordTypes, seen: try request.seen(query.seenTags)),
            in: request.caller.database)
        let forms = RecordForms(request, service, desiredKeys: query.desiredKeys)
        var changes = ZoneChanges(
            query.zoneID, syncToken: page.token.text, moreComing: page.moreComing, records: try page.records.map { try forms.result($0) })
        changes.numbersAsStrings = query.numbersAsStrings
        return changes
    }

    /// The body of `records/changes`: one zone's query at the top.
    private struct SingleZoneQuery: WireDecodable {
        let query: ZoneChangesRequest.Query
        init(json: JSONValue) throws(WireError) { query = try ZoneChangesRequest.Query(try json.asObject()) }
    }
}
