import Foundation
import SluiceHTTPServer
import SluiceRecords

/// A request of the dialect after the door: who asks what of which database.
struct ServiceRequest: Sendable {
    let http: HTTPRequest
    let path: DatabasePath
    let endpoint: Endpoint
    let caller: Caller

    /// Whether its sender understands our extensions.
    var isSluice: Bool { http.headers[SluiceHeader.client] != nil }

    /// The body as a value; an empty one counts as `{}`.
    func body<Value: WireDecodable>(_ type: Value.Type = Value.self) throws(ServerError) -> Value {
        do {
            return try Value(decoding: http.body.isEmpty ? Data("{}".utf8) : http.body)
        } catch {
            throw ServerError(.badRequest, error.description)
        }
    }
}

/// The answer to a request of the dialect, before it is HTTP.
struct ServiceAnswer: Sendable {
    var body: Data
    var isReplay = false
    /// For the log and the metrics.
    var recordCount = 0

    init(_ value: some WireEncodable, capacity: Int = 256) throws {
        body = try value.encoded(capacity: capacity)
    }

    init(replaying body: Data) {
        self.body = body
        isReplay = true
    }
}
