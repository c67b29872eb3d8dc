import Foundation
import SluiceHTTPServer
import SluiceJSON

extension State {
    /// `zones/list`, `zones/lookup` and `zones/modify`.
    mutating func answerZones(_ endpoint: String, _ body: JSONObject, of user: String, database: String) throws(Refusal) -> HTTPResponse {
        if endpoint == "zones/list" {
            let keys = zones.keys.filter { $0.user == user }.sorted { $0.name < $1.name }
            return zoneAnswer(keys.map(zoneElement))
        }
        if endpoint == "zones/lookup" {
            let wanted = try Self.reading { () throws(WireError) in try body.requiredList("zones") { json throws(WireError) in try json.asObject() } }
            var elements: [JSONValue] = []
            for object in wanted {
                elements.append(zoneElement(try zoneKey(JSONObject(members: [(key: "zoneID", value: .object(object))]), of: user)))
            }
            return zoneAnswer(elements)
        }
        guard database == "private" else { throw Refusal("BAD_REQUEST", "custom zones exist in the private database only") }
        let operations = try Self.reading { () throws(WireError) in
            try body.requiredList("operations") { json throws(WireError) in try json.asObject() }
        }
        var elements: [JSONValue] = []
        for operation in operations { elements.append(try modifyZone(operation, of: user)) }
        return zoneAnswer(elements)
    }

    private mutating func modifyZone(_ operation: JSONObject, of user: String) throws(Refusal) -> JSONValue {
        let (kind, zone) = try Self.reading { () throws(WireError) in
            (try operation.requiredString("operationType"), try operation.requiredObject("zone"))
        }
        let key = try zoneKey(zone, of: user)
        if kind == "create" {
            if zones[key] == nil {
                clock += 1
                zones[key] = Zone()
                deletedZones[key] = nil
            }
            return zoneElement(key)
        }
        guard zones[key] != nil else { return Self.element(("zoneID", Self.zoneID(key)), Self.noZone(key)) }
        deleteZone(key)
        return .record([("zoneID", Self.zoneID(key)), ("deleted", .boolean(true))])
    }

    private func zoneAnswer(_ zones: [JSONValue]) -> HTTPResponse { JSONValue.record([("zones", .array(zones))]).response() }

    private func zoneElement(_ key: ZoneKey) -> JSONValue {
        guard let zone = zones[key] else { return Self.element(("zoneID", Self.zoneID(key)), Self.noZone(key)) }
        return .record([
            ("zoneID", Self.zoneID(key)), ("syncToken", .string(zone.token(.init(number: zone.place, emptyPages: 0)))), ("atomic", .boolean(true)),
        ])
    }

    /// A refusal of one thing in an answer that is a success.
    static func element(_ identity: (String, JSONValue?), _ refusal: Refusal) -> JSONValue { .record([identity] + refusal.members) }
}
