import SluiceRecords

/// `users/caller` and its deprecated form `users/current`, on any database.
struct UsersEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        var response = CallerResponse(userRecordName: request.caller.userRecordName)
        if request.isSluice {
            response.epoch = try await service.storage.epoch
            response.limits = service.configuration.limits
        }
        return try ServiceAnswer(response)
    }
}
