import Foundation
import SluiceFailpoints
import SluiceHTTPServer
import SluiceRecords

/// The two URLs through which files come and go. Who has one needs no token: the ticket in its query says what it opens, and for how long.
struct FileTransfers {
    static let uploadPath = "/files/upload"
    static let downloadPath = "/files/download"
    static let paths = [uploadPath, downloadPath]
    let service: RecordService

    /// Takes the body of an upload to disk while it comes; nil for every other request.
    static func sink(_ request: HTTPRequest, _ files: ServiceFiles, _ configuration: ServiceConfiguration, now: Int64) -> (any BodySink)? {
        guard request.path == uploadPath, let ticket = request.queryValue("ticket"), files.tickets.upload(ticket, now: now) != nil else { return nil }
        return files.store.receiver(byteCountMax: configuration.assetBytes)
    }

    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let files = service.files, let ticket = request.queryValue("ticket") else {
            throw ServerError(.accessDenied, "this URL opens nothing; ask for a new one")
        }
        return request.path == Self.uploadPath ? try await upload(request, ticket, files) : try await download(request, ticket, files)
    }

    // MARK: Up

    private func upload(_ request: HTTPRequest, _ ticket: String, _ files: ServiceFiles) async throws -> HTTPResponse {
        guard request.method == "POST" || request.method == "PUT" else { throw ServerError(.badRequest, "POST was expected") }
        guard let upload = files.tickets.upload(ticket, now: service.environment.now()) else {
            throw ServerError(.accessDenied, "the upload URL is none, or has expired; ask for a new one")
        }
        try service.takeTurn(token: upload.tokenID)
        guard let receiver = request.sink as? any AssetReceiver else {
            throw ServerError(.tryAgainLater, "too many files are on their way", retryAfter: 5)
        }
        let id = AssetID(random: service.environment.random)
        let asset = try await received(receiver, as: id, in: upload.database, files)
        do {
            try await service.storage.addAsset(asset, quota: service.configuration.quota, in: upload.database)
        } catch {
            // Refused for sure only where it says so; after any other error the row may be there, and the collector decides.
            if case .quotaExceeded = error { await discard(id, in: upload.database, files) }
            throw error
        }
        let body = try AssetReceipt(singleFile: files.full(asset, in: upload.database)).encoded()
        return HTTPResponse(status: 200, headers: Self.headers("application/json; charset=UTF-8"), body: body)
    }

    private func received(
        _ receiver: any AssetReceiver, as id: AssetID, in database: DatabaseID, _ files: ServiceFiles
    ) async throws -> StoredAsset {
        do {
            let (byteCount, digest) = try await receiver.finish(as: id, in: database)
            return StoredAsset(id: id, digest: digest, byteCount: byteCount)
        } catch {
            service.report(error)
            throw error.isFull
                ? ServerError(.tryAgainLater, "there is no room for the file now", retryAfter: 60) : ServerError(.internalError, "internal error", retryAfter: 5)
        }
    }

    private func discard(_ id: AssetID, in database: DatabaseID, _ files: ServiceFiles) async {
        do { try await files.store.remove(id, in: database) } catch { service.report(error) }
    }

    // MARK: Down

    private func download(_ request: HTTPRequest, _ ticket: String, _ files: ServiceFiles) async throws -> HTTPResponse {
        guard request.method == "GET" else { throw ServerError(.badRequest, "GET was expected") }
        guard let (database, id) = files.tickets.download(ticket, now: service.environment.now()) else {
            throw ServerError(.accessDenied, "the download URL is none, or has expired; read the record again")
        }
        guard let asset = try await service.storage.assets([id], in: database)[0] else { throw ServerError(.notFound, "the file is not there any more") }
        guard let file = await files.store.body(of: asset, in: database) else {
            service.report("asset \(id) of database \(database.rawValue) has no file of its size")
            throw ServerError(.internalError, "internal error")
        }
        return response(to: request, with: file, of: asset)
    }

    private func response(to request: HTTPRequest, with file: FileBody, of asset: StoredAsset) -> HTTPResponse {
        // The same for the same bytes, so that a download that broke may go on with another URL of the file.
        let tag = "\"\(asset.fileChecksum)\""
        var response = HTTPResponse(status: 200, headers: Self.headers("application/octet-stream"))
        response.headers.append("Accept-Ranges", "bytes")
        response.headers.append("ETag", tag)
        switch ByteRange(request, byteCount: file.byteCount, tag: tag) {
        case .whole: response.file = file
        case .part(let range):
            response.status = 206
            response.headers.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)")
            response.file = file.narrowed(to: range)
        case .unsatisfiable:
            response.status = 416
            response.headers.append("Content-Range", "bytes */\(file.byteCount)")
        }
        return response
    }

    /// Nobody's browser shall take a user's file for a page of this service.
    private static func headers(_ type: String) -> HTTPHeaders {
        [
            "Content-Type": type, "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff",
            "Content-Disposition": "attachment", "Content-Security-Policy": "sandbox",
        ]
    }
}
