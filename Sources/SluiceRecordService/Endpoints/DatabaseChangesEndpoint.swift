import SluiceRecords

/// `changes/database`: which zones changed, at once or, for Sluice clients that say `waitSeconds`, as soon as there is something to say.
///
/// The wait keeps no state: whoever is behind is answered at once, whoever is not waits for the next commit to this database.
struct DatabaseChangesEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let body = try request.body(DatabaseChangesRequest.self)
        let token = try token(body.syncToken)
        let database = request.caller.database
        let limit = min(body.resultsLimit ?? ServiceLimits.pageRecords, ServiceLimits.pageRecords)
        // Registered before reading, so that a commit in between is not missed.
        let watch = service.storage.watch(database)
        var page = try await service.storage.databaseChanges(since: token, limit: limit, in: database)
        if request.isSluice, let seconds = body.waitSeconds, seconds > 0, token != nil {
            let end = ContinuousClock.now + .seconds(seconds)
            // Word of a commit that this reader knows already may still be on its way from another process.
            while page.zones.isEmpty, !page.moreComing, !Task.isCancelled, ContinuousClock.now < end {
                service.metrics.countLongPolls(1)
                await watch.wait(end - .now)
                service.metrics.countLongPolls(-1)
                page = try await service.storage.databaseChanges(since: token, limit: limit, in: database)
            }
        }
        var response = DatabaseChangesResponse(zones: page.zones, syncToken: page.token.text, moreComing: page.moreComing)
        if request.isSluice {
            response.epoch = try await service.storage.epoch
        } else {
            for index in response.zones.indices { response.zones[index].deletionReason = nil }
        }
        return try ServiceAnswer(response)
    }

    private func token(_ text: String?) throws(ServerError) -> SyncToken? {
        guard let text else { return nil }
        do throws(SyncToken.Fault) { return try SyncToken(text: text, scope: .database) } catch {
            throw ServerError(.badRequest, error.rawValue)
        }
    }
}
