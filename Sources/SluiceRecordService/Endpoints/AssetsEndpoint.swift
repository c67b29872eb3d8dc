import SluiceRecords

/// `assets/upload` and `assets/rereference`: what comes before a file stands in a record. The bytes themselves travel through `FileTransfers`.
struct AssetsEndpoint {
    let service: RecordService

    func answer(_ request: ServiceRequest) async throws -> ServiceAnswer {
        guard let files = service.files else { throw ServerError(.badRequest, "assets are not supported by this service; send BYTES") }
        return request.endpoint == .assetsUpload ? try await upload(request, files) : try await rereference(request, files)
    }

    private func upload(_ request: ServiceRequest, _ files: ServiceFiles) async throws -> ServiceAnswer {
        let body = try request.body(AssetUploadRequest.self)
        try checkCount(body.places.count)
        for place in body.places {
            guard !place.fieldName.isEmpty, place.recordType?.isEmpty == false else {
                throw ServerError(.badRequest, "each token names a 'recordType' and a 'fieldName'")
            }
            if let name = place.recordName, !RequestRules.isRecordName(name) {
                throw ServerError(.badRequest, "a record name is 1 to \(ServiceLimits.recordNameLength) ASCII characters and does not begin with '_'")
            }
        }
        // Asks whether the zone is there: a file for none would wait for its collection.
        _ = try await service.storage.records(named: [], zone: body.zoneID ?? .defaultZone, in: request.caller.database)
        guard let base = service.baseURL(of: request.http) else {
            throw ServerError(.badRequest, "a Host header with the service's name was expected")
        }
        let upload = AssetTickets.Upload(database: request.caller.database, tokenID: request.caller.tokenID)
        let tokens = body.places.map { place in
            let ticket = files.tickets.upload(upload, now: service.environment.now(), random: service.environment.random())
            return AssetUploadResponse.Element(
                recordName: place.recordName ?? service.requestUUID(), fieldName: place.fieldName, url: "\(base)\(FileTransfers.uploadPath)?ticket=\(ticket)")
        }
        return try ServiceAnswer(AssetUploadResponse(tokens: tokens))
    }

    /// The file of a record's field, so that it can be written to another record without its bytes being sent again.
    private func rereference(_ request: ServiceRequest, _ files: ServiceFiles) async throws -> ServiceAnswer {
        let body = try request.body(RereferenceRequest.self)
        try checkCount(body.places.count)
        let database = request.caller.database
        let names = body.places.map { $0.recordName ?? "" }
        let records = try await service.storage.records(named: names, zone: body.zoneID ?? .defaultZone, in: database)
        let found = try zip(body.places, records).map { place, record in try asset(of: place, in: record) }
        // From here on they have their full time again, also where the record that they were read from goes.
        let kept = try await service.storage.keepAssets(found.compactMap { $0 }, in: database)
        var next = kept.makeIterator()
        let elements = zip(names, found).map { name, asset -> RereferenceResponse.Element in
            guard asset != nil, let stored = next.next() ?? nil else {
                return .failure(recordName: name, ServerError(.notFound, "Record not found, or its field holds no asset"))
            }
            return .asset(files.full(stored, in: database))
        }
        return try ServiceAnswer(RereferenceResponse(assets: elements))
    }

    private func asset(of place: AssetPlace, in record: StoredRecord?) throws -> AssetID? {
        guard let record, AssetFields.mayHold(record.fieldsJSON), let field = try record.decoded().fields[place.fieldName] else { return nil }
        // A list has no place for one of its elements in the dialect's request.
        guard case .asset(let asset) = field.value else { return nil }
        return asset.receipt.flatMap(AssetID.init(text:))
    }

    private func checkCount(_ count: Int) throws(ServerError) {
        guard count <= ServiceLimits.cloudKit.operations else {
            throw ServerError(.badRequest, "a request may name at most \(ServiceLimits.cloudKit.operations) assets")
        }
    }
}
