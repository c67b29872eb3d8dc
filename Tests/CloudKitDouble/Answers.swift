import Foundation
import SluiceHTTPServer
import SluiceJSON

/// A refusal in Apple's form.
struct Refusal: Error {
    var status: Int
    var code: String
    var reason: String
    /// Seconds.
    var retryAfter: Double?
    var redirectURL: String?

    init(_ code: String, _ reason: String, status: Int? = nil, retryAfter: Double? = nil, redirectURL: String? = nil) {
        self.code = code
        self.reason = reason
        self.status = status ?? Self.statuses[code] ?? 400
        self.retryAfter = retryAfter
        self.redirectURL = redirectURL
    }

    private static let statuses = [
        "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401, "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400,
        "CONFLICT": 409, "EXISTS": 409, "INTERNAL_ERROR": 500, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413, "THROTTLED": 429,
        "TRY_AGAIN_LATER": 503, "ZONE_NOT_FOUND": 404,
    ]

    /// Of an element, or of a whole answer.
    var members: [(String, JSONValue?)] {
        [
            ("serverErrorCode", .string(code)), ("reason", .string(reason)), ("retryAfter", retryAfter.map { .double($0) }),
            ("redirectURL", redirectURL.map { .string($0) }),
        ]
    }

    var response: HTTPResponse {
        var response = JSONValue.record([("uuid", .string(UUID().uuidString))] + members).response(status: status)
        if let retryAfter { response.headers.append("Retry-After", String(Int(retryAfter.rounded(.up)))) }
        return response
    }
}

extension JSONValue {
    /// An object of the members that there are.
    static func record(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(JSONObject(members: members.compactMap { member in member.1.map { (key: member.0, value: $0) } }))
    }

    func response(status: Int = 200) -> HTTPResponse {
        var writer = JSONWriter()
        append(to: &writer)
        return HTTPResponse(status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: writer.data)
    }

    /// Only finite numbers are read, so all of them can be written.
    private func append(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let flag): writer.boolean(flag)
        case .integer(let number): writer.integer(number)
        case .double(let number): do { try writer.double(number) } catch { preconditionFailure("\(error)") }
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.append(to: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for (key, value) in object.members {
                writer.key(key)
                value.append(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension HTTPResponse {
    /// What a gateway says that has lost the service.
    static func gateway(_ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "text/html"], body: Data("<html><body>Gateway</body></html>".utf8))
    }
}
