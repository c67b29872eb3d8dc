import Foundation
import SluiceHTTPServer
import SluiceJSON

extension State {
    /// `changes/database`: every zone at first, then those that changed. Its token is a text of its own kind, another one with every answer.
    mutating func answerDatabaseChanges(_ body: JSONObject, of user: String) throws(Refusal) -> HTTPResponse {
        let token = try Self.reading { () throws(WireError) in try body.string("syncToken") }
        if body.member("waitSeconds") != nil { complain("changes/database came with waitSeconds, which no service of Apple's has") }
        var known: [String: Int] = [:]
        if let token {
            guard let data = Data(base64Encoded: token), let text = String(data: data, encoding: .utf8), text.hasPrefix("db1|") else {
                throw Refusal("BAD_REQUEST", "Unknown sync continuation type")
            }
            for part in text.split(separator: "|").dropFirst(2) {
                let sides = part.split(separator: ":").map(String.init)
                if sides.count == 2 { known[sides[0]] = Int(sides[1]) }
            }
        }
        var elements: [JSONValue] = []
        var now: [String] = []
        for (key, zone) in zones.sorted(by: { $0.key.name < $1.key.name }) where key.user == user {
            let name = Data(key.name.utf8).base64EncodedString()
            now.append("\(name):\(zone.place)")
            if known[name] != zone.place { elements.append(.record([("zoneID", Self.zoneID(key)), ("syncToken", .string(zone.token(.init(number: zone.place, emptyPages: 0))))])) }
        }
        for (key, _) in deletedZones.sorted(by: { $0.key.name < $1.key.name }) where key.user == user {
            let name = Data(key.name.utf8).base64EncodedString()
            now.append("\(name):-1")
            guard known[name] != -1, token != nil else { continue }
            elements.append(.record([("zoneID", Self.zoneID(key)), ("deleted", habits.listsDeletedZonesAsChanged ? nil : .boolean(true))]))
        }
        let next = Data("db1|\(UUID().uuidString)|\(now.joined(separator: "|"))".utf8).base64EncodedString()
        return JSONValue.record([("zones", .array(elements)), ("syncToken", .string(next)), ("moreComing", .boolean(false))]).response()
    }

    /// `changes/zone`.
    mutating func answerZoneChanges(_ body: JSONObject, of user: String, fault: Fault.Kind?) throws(Refusal) -> HTTPResponse {
        let wanted = try Self.reading { () throws(WireError) in
            try body.requiredList("zones") { json throws(WireError) in try json.asObject() }
        }
        var elements: [JSONValue] = []
        for object in wanted {
            let key = try zoneKey(object, of: user)
            let token = try Self.reading { () throws(WireError) in try object.string("syncToken") }
            if token == "" { complain("changes/zone came with an empty sync token") }
            do throws(Refusal) {
                if case .refuseZone(let code, let reason, let retryAfter)? = fault { throw Refusal(code, reason, retryAfter: retryAfter) }
                elements.append(try page(key, after: token))
            } catch {
                elements.append(Self.element(("zoneID", Self.zoneID(key)), error))
            }
        }
        return JSONValue.record([("zones", .array(elements))]).response()
    }

    private func page(_ key: ZoneKey, after token: String?) throws(Refusal) -> JSONValue {
        guard let zone = zones[key] else { throw Self.noZone(key) }
        let place = try token.map { text throws(Refusal) in try zone.place(of: text) } ?? Zone.Place(number: 0, emptyPages: 0)
        let changes = zone.changes(after: habits.isFeedStuck ? 0 : place.number)
        var shown = changes.prefix(habits.pageRecords)
        var next = Zone.Place(number: shown.last?.entry.place ?? zone.place, emptyPages: 0)
        var isMoreComing = shown.count < changes.count
        if !isMoreComing { next.number = zone.place }
        if !changes.isEmpty, place.emptyPages < habits.emptyPages {
            shown = []
            next = Zone.Place(number: place.number, emptyPages: place.emptyPages + 1)
            isMoreComing = true
        }
        if habits.isFeedStuck {
            next = place
            isMoreComing = true
        }
        return .record([
            ("zoneID", Self.zoneID(key)), ("syncToken", .string(zone.token(next))),
            // False is written in two ways.
            ("moreComing", isMoreComing ? .boolean(true) : shown.isEmpty ? .boolean(false) : .null),
            ("records", .array(shown.map { $0.entry.json($0.name, in: key) })),
        ])
    }
}
