import Foundation
import SluiceDigest
import SluiceHTTPServer
import SluiceJSON

extension State {
    /// `records/lookup`: what was written is found at once.
    mutating func answerLookup(_ call: inout Call, _ body: JSONObject, of user: String, fault: Fault.Kind?) throws(Refusal) -> HTTPResponse {
        let names = try Self.reading { () throws(WireError) in
            try body.requiredList("records") { json throws(WireError) in try json.asObject().requiredString("recordName") }
        }
        call.count = names.count
        guard names.count <= habits.operationsMaximum else { throw Refusal("BAD_REQUEST", "Too many records: \(names.count)") }
        let key = try zoneKey(body, of: user)
        guard let zone = zones[key] else { throw Self.noZone(key) }
        let elements = names.enumerated().map { index, name in
            if index == 0, case .refuseFirstRecord(let code, let retryAfter)? = fault {
                return Self.element(("recordName", .string(name)), Refusal(code, "refused", retryAfter: retryAfter))
            }
            return zone[name]?.json(name, in: key) ?? Self.element(("recordName", .string(name)), Refusal("NOT_FOUND", "Record not found"))
        }
        return JSONValue.record([("records", .array(elements))]).response()
    }

    /// `records/query`, by type alone. The index is behind by seconds: who confirms a write by it is told lies.
    func answerQuery(_ body: JSONObject, of user: String, at time: Int64) throws(Refusal) -> HTTPResponse {
        let type = try Self.reading { () throws(WireError) in try body.requiredObject("query").requiredString("recordType") }
        let key = try zoneKey(body, of: user)
        guard let zone = zones[key] else { throw Self.noZone(key) }
        let found = zone.entries.filter { !$0.value.isDeleted && $0.value.type == type && $0.value.modified + habits.queryLag <= time }
        return JSONValue.record([("records", .array(found.sorted { $0.key < $1.key }.map { $0.value.json($0.key, in: key) }))]).response()
    }

    // MARK: Assets

    /// `assets/upload`: a URL for each file, to be used once.
    mutating func answerUpload(_ body: JSONObject) throws(Refusal) -> HTTPResponse {
        let tokens = try Self.reading { () throws(WireError) in
            try body.requiredList("tokens") { json throws(WireError) in
                let object = try json.asObject()
                return (name: try object.string("recordName"), field: try object.requiredString("fieldName"))
            }
        }
        var elements: [JSONValue] = []
        for token in tokens {
            let number = UUID().uuidString
            uploads[number] = Data()
            elements.append(
                .record([
                    ("recordName", .string(token.name ?? UUID().uuidString)), ("fieldName", .string(token.field)),
                    ("url", .string("https://\(authority)/uploads/\(number)")),
                ]))
        }
        return JSONValue.record([("tokens", .array(elements))]).response()
    }

    /// The bytes themselves, which need no token. Nil where the request is none of these.
    mutating func takeUpload(_ request: HTTPRequest) -> HTTPResponse? {
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 2, parts[0] == "uploads" else { return nil }
        guard uploads[parts[1]]?.isEmpty == true else { return Refusal("ACCESS_DENIED", "the upload URL is not valid").response }
        uploads[parts[1]] = request.body
        // One byte, then twenty.
        let sum = (Data([1]) + Digest.sha1(request.body)).base64EncodedString()
        let file = JSONValue.record([
            ("wrappingKey", .string("key")), ("fileChecksum", .string(sum)), ("receipt", .string(parts[1])), ("referenceChecksum", .string(sum)),
            ("size", .integer(Int64(request.body.count))),
        ])
        return JSONValue.record([("singleFile", file)]).response()
    }
}
