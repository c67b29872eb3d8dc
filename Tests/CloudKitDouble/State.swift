// Who may come in, what a request is, and where it goes.

import Foundation
import SluiceHTTPServer
import SluiceJSON

/// A zone of a user's private database.
struct ZoneKey: Hashable {
    var user: String
    var name: String
}

/// Everything that the double remembers.
struct State {
    var habits: Habits
    /// User by live user token.
    var tokens: [String: String] = [:]
    var faults: [Fault] = []
    var calls: [Call] = []
    var complaints: [String] = []
    var zones: [ZoneKey: Zone] = [:]
    /// Zones that are gone, by what the database's feed had when they went.
    var deletedZones: [ZoneKey: Int] = [:]
    /// Counts changes of any zone, for the database's feed.
    var clock = 0
    /// Bytes by the number of their upload URL; empty until they came.
    var uploads: [String: Data] = [:]
    /// Where it was last reached, for the URLs that it gives out.
    var authority = ""
    private var tokenCount = 0

    init(habits: Habits) { self.habits = habits }

    mutating func signIn(_ user: String) -> String {
        tokenCount += 1
        // What base64 has, and a URL gives another meaning.
        let token = "ck+\(tokenCount)/\(UUID().uuidString)=="
        tokens[token] = user
        return token
    }

    mutating func complain(_ text: String) { complaints.append(text) }

    mutating func deleteZone(_ key: ZoneKey) {
        guard zones.removeValue(forKey: key) != nil else { return }
        clock += 1
        deletedZones[key] = clock
    }

    // MARK: A request

    mutating func answer(_ request: HTTPRequest, at time: Int64) -> HTTPResponse {
        authority = request.headers["Host"] ?? authority
        if let upload = takeUpload(request) { return upload }
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 7, parts[0] == "database", parts[1] == "1" else {
            return Refusal("NOT_FOUND", "no handler for the endpoint \(request.path)").response
        }
        var call = Call(
            endpoint: "\(parts[5])/\(parts[6])", target: request.target, body: request.body, token: request.queryValue("ckWebAuthToken"), time: time)
        do {
            let user = try user(of: request, call)
            let answered = answer(&call, of: user, database: parts[4], at: time)
            return rotated(answered, from: call.token, of: user)
        } catch {
            calls.append(call)
            return error.response
        }
    }

    private mutating func user(of request: HTTPRequest, _ call: Call) throws(Refusal) -> String {
        guard request.queryValue("ckAPIToken") == CloudKitDouble.apiToken else {
            throw Refusal("AUTHENTICATION_FAILED", "Authentication failed")
        }
        guard let token = call.token, let user = tokens[token] else {
            if let token = call.token, token.contains(" ") { complain("a user token came with a space in it: '+' was not escaped") }
            throw Refusal("AUTHENTICATION_REQUIRED", "request needs authorization", redirectURL: "https://idmsa.example/sign-in?\(UUID().uuidString)")
        }
        return user
    }

    private mutating func rotated(_ response: HTTPResponse, from token: String?, of user: String) -> HTTPResponse {
        // A gateway has no part in it.
        guard response.headers["Content-Type"]?.hasPrefix("application/json") == true else { return response }
        if habits.rotation == .strict, let token { tokens[token] = nil }
        var response = response
        response.headers.append("X-Apple-CloudKit-Web-Auth-Token", signIn(user))
        return response
    }

    private mutating func answer(_ call: inout Call, of user: String, database: String, at time: Int64) -> HTTPResponse {
        let endpoint = call.endpoint
        let position = faults.firstIndex { $0.endpoint == endpoint }
        let fault = position.map { faults.remove(at: $0) }?.kind
        defer { calls.append(call) }
        switch fault {
        case .gateway(let status)?: return .gateway(status)
        case .refuse(let status, let code, let reason, let retryAfter)?:
            return Refusal(code, reason, status: status, retryAfter: retryAfter).response
        case .loseAnswer?:
            _ = answer(&call, of: user, database: database, fault: nil, at: time)
            return .gateway(504)
        default: return answer(&call, of: user, database: database, fault: fault, at: time)
        }
    }

    private mutating func answer(_ call: inout Call, of user: String, database: String, fault: Fault.Kind?, at time: Int64) -> HTTPResponse {
        do throws(Refusal) {
            guard call.body.count <= habits.bodyBytesMaximum else { throw Refusal("BAD_REQUEST", "Request is too large") }
            let body = try Self.object(call.body)
            switch call.endpoint {
            case "users/caller", "users/current": return caller(user)
            case "zones/list", "zones/lookup", "zones/modify": return try answerZones(call.endpoint, body, of: user, database: database)
            case "changes/database": return try answerDatabaseChanges(body, of: user)
            case "changes/zone": return try answerZoneChanges(body, of: user, fault: fault)
            case "records/modify": return try answerModify(&call, body, of: user, fault: fault, at: time)
            case "records/lookup": return try answerLookup(&call, body, of: user, fault: fault)
            case "records/query": return try answerQuery(body, of: user, at: time)
            case "assets/upload": return try answerUpload(body)
            default: throw Refusal("NOT_FOUND", "no handler for the endpoint \(call.endpoint)")
            }
        } catch {
            return error.response
        }
    }

    private static func object(_ body: Data) throws(Refusal) -> JSONObject {
        if body.isEmpty { return JSONObject(members: []) }
        do throws(WireError) { return try JSONValue(parsing: body).asObject() } catch { throw Refusal("BAD_REQUEST", "Unexpected input") }
    }

    /// In the body itself, and nothing else in it.
    private func caller(_ user: String) -> HTTPResponse { JSONValue.record([("userRecordName", .string(user))]).response() }

    // MARK: Reading

    /// The zone that a body names; the default one has no place here.
    func zoneKey(_ object: JSONObject, of user: String) throws(Refusal) -> ZoneKey {
        do throws(WireError) {
            guard let zone = try object.object("zoneID"), let name = try zone.string("zoneName") else {
                throw WireError(.missing, "zoneID")
            }
            if let owner = try zone.string("ownerRecordName"), owner != user { throw WireError(.unexpected, "ownerRecordName") }
            return ZoneKey(user: user, name: name)
        } catch { throw Refusal("BAD_REQUEST", "Unexpected input: \(error.detail)") }
    }

    static func zoneID(_ key: ZoneKey) -> JSONValue {
        .record([
            ("zoneName", .string(key.name)), ("ownerRecordName", .string(key.user)), ("zoneType", .string("REGULAR_CUSTOM_ZONE")),
        ])
    }

    static func noZone(_ key: ZoneKey) -> Refusal { Refusal("ZONE_NOT_FOUND", "Zone '\(key.name)' does not exist") }

    /// Runs what reads JSON; what cannot be read is the client's fault.
    static func reading<Value>(_ body: () throws(WireError) -> Value) throws(Refusal) -> Value {
        do { return try body() } catch { throw Refusal("BAD_REQUEST", "Unexpected input: \(error.detail)") }
    }
}
