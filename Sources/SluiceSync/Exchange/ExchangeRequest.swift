package import Foundation
package import SluiceRecords

/// Tells credentials apart without holding them. Means something in one process only.
package struct CredentialMark: Sendable, Hashable {
    private let value: Int

    /// - Parameter parts: what a person put into files; not a token that the service made of it since.
    package init(_ parts: [String?]) { value = parts.hashValue }
}

/// One request that the core wants made, without the way it travels.
package struct ExchangeRequest: Sendable, Hashable {
    package let endpoint: Endpoint
    package let scope: DatabaseScope
    package let body: Data
    /// The operation id; it goes along as `Idempotency-Key`.
    package let operation: String?
    /// The credentials that it must be sent with; with others it fails with `credentialsChanged`. Nil: whatever there is.
    package var credentials: CredentialMark?

    package init(_ endpoint: Endpoint, scope: DatabaseScope = .private, body: Data, operation: String? = nil) {
        self.endpoint = endpoint
        self.scope = scope
        self.body = body
        self.operation = operation
    }
}

/// What came back, before anybody has read it.
package struct ExchangeAnswer: Sendable, Hashable {
    /// The HTTP status.
    package var status: Int
    package var body: Data
    /// Milliseconds since 1970 by the service's `Date` header; nil without one.
    package var serviceTime: Int64?
    /// Seconds, of the `Retry-After` header.
    package var retryAfter: Double?
    /// What the request was sent with.
    package var credentials: CredentialMark?

    package init(status: Int, body: Data, serviceTime: Int64? = nil, retryAfter: Double? = nil) {
        self.status = status
        self.body = body
        self.serviceTime = serviceTime
        self.retryAfter = retryAfter
    }

    /// The answer's value.
    /// - Throws: what it means to the core that there is none.
    package func value<Value: WireDecodable>(_ type: Value.Type = Value.self) throws(RequestFailure) -> Value {
        guard status == 200 || isItemized else { throw RequestFailure(refusal) }
        do { return try Value(decoding: body) } catch {
            throw RequestFailure.serviceFault("its answer cannot be read (\(error))", retryAfter: nil)
        }
    }

    /// Whether it says of each record what became of it, whatever its status: CloudKit answers an atomic batch that failed with 400 and that.
    private var isItemized: Bool {
        guard status == 400, let object = try? JSONValue(parsing: body).asObject() else { return false }
        return object.member("serverErrorCode") == nil && object.member("records") != nil
    }

    private var refusal: ServerError {
        if let json = try? JSONValue(parsing: body), let object = try? json.asObject(), var error = try? ServerError(object) {
            error.retryAfter = error.retryAfter ?? retryAfter
            return error
        }
        // Not the service's own words: a proxy or a gateway in between.
        return ServerError(ServerErrorCode(httpStatus: status), "HTTP status \(status)", retryAfter: retryAfter)
    }
}
