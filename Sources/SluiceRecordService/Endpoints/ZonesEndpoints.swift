import SluiceRecords

/// `zones/list`, `zones/lookup` and `zones/modify`.
struct ZonesEndpoints {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        let database = request.caller.database
        switch request.endpoint {
        case .zonesLookup:
            let wanted = try request.body(ZonesLookupRequest.self).zones
            try checkCount(wanted.count)
            let zones = try await service.storage.zones(in: database)
            return try ServiceAnswer(ZonesResponse(zones: wanted.map { find($0, in: zones) }))
        case .zonesModify:
            let operations = try request.body(ZonesModifyRequest.self).operations
            try checkCount(operations.count)
            let results = try await service.storage.modifyZones(operations, in: database)
            return try ServiceAnswer(ZonesResponse(zones: results.map { adapted($0, request) }))
        default:
            let zones = try await service.storage.zones(in: database)
            return try ServiceAnswer(ZonesResponse(zones: zones.map { .zone($0) }))
        }
    }

    private func checkCount(_ count: Int) throws(ServerError) {
        guard count <= ServiceLimits.cloudKit.operations else {
            throw ServerError(.badRequest, "a request may name at most \(ServiceLimits.cloudKit.operations) zones")
        }
    }

    private func find(_ wanted: ZoneID, in zones: [Zone]) -> ZoneResult {
        let found = zones.first {
            $0.zoneID.zoneName == wanted.zoneName && (wanted.ownerRecordName == nil || wanted.ownerRecordName == $0.zoneID.ownerRecordName)
        }
        return found.map(ZoneResult.zone) ?? .failure(wanted, ServerError(.zoneNotFound, StorageError.zoneNotFound(wanted).description))
    }

    /// Reasons are our extension.
    private func adapted(_ result: ZoneResult, _ request: ServiceRequest) -> ZoneResult {
        guard case .zone(var zone) = result, !request.isSluice else { return result }
        zone.deletionReason = nil
        return .zone(zone)
    }
}
