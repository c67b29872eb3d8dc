import Foundation
import SluiceJSON

/// One custom zone: its records, their tags, and the order in which they changed.
struct Zone {
    struct Entry {
        var type: String
        var fields: [String: JSONValue]
        var tag: String
        var created: Int64
        var modified: Int64
        var user: String
        var isDeleted = false
        /// Place in the feed; a record has one, that of its last change.
        var place: Int
    }

    /// Another one for a zone that was made again under its name.
    let incarnation = UUID()
    private(set) var entries: [String: Entry] = [:]
    private(set) var creations: [String: Int] = [:]
    private(set) var place = 0
    /// How often the service has forgotten all tokens that it gave out.
    private var tokenAge = 0
    private var tagCount = Int.random(in: 1...40)

    /// Records that are there, in the form of an answer.
    var live: [String: JSONObject] {
        entries.filter { !$0.value.isDeleted }.mapValues { JSONObject(members: $0.fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }) }
    }

    /// Short and opaque; another one with every write.
    private mutating func nextTag() -> String {
        tagCount += 1
        return String(tagCount, radix: 36)
    }

    subscript(name: String) -> Entry? { entries[name].flatMap { $0.isDeleted ? nil : $0 } }

    /// - Returns: the record as it is now.
    @discardableResult
    mutating func save(_ name: String, type: String, fields: [String: JSONValue], at time: Int64, by user: String) -> Entry {
        place += 1
        if self[name] == nil { creations[name, default: 0] += 1 }
        let created = self[name]?.created ?? time
        let entry = Entry(
            type: type, fields: fields.filter { !Self.isCleared($0.value) }, tag: nextTag(), created: created, modified: time, user: user, place: place)
        entries[name] = entry
        return entry
    }

    mutating func delete(_ name: String, at time: Int64) {
        place += 1
        guard var entry = entries[name] else { return }
        (entry.isDeleted, entry.fields, entry.place) = (true, [:], place)
        entry.tag = nextTag()
        entries[name] = entry
    }

    mutating func forgetTokens() {
        tokenAge += 1
    }

    mutating func editAsForeigner(_ name: String, fields: [String: JSONValue]?, at time: Int64, by user: String) {
        guard let entry = self[name] else { return }
        guard let fields else { return delete(name, at: time) }
        save(name, type: entry.type, fields: entry.fields.merging(fields) { $1 }, at: time, by: user)
    }

    private static func isCleared(_ field: JSONValue) -> Bool {
        guard case .object(let object) = field else { return true }
        return object.member("value")?.isNull ?? true
    }

    // MARK: Tokens of the feed

    /// A place in the feed. Empty pages have places of their own, so that a token moves with every page.
    struct Place {
        var number: Int
        var emptyPages: Int
    }

    private static let form = "zone1"

    func token(_ place: Place) -> String { Data("\(Self.form)|\(incarnation.uuidString).\(tokenAge)|\(place.number)|\(place.emptyPages)".utf8).base64EncodedString() }

    func place(of token: String) throws(Refusal) -> Place {
        guard let data = Data(base64Encoded: token) else { throw Refusal("BAD_REQUEST", "Unknown sync continuation type") }
        let parts = String(decoding: data, as: UTF8.self).split(separator: "|").map(String.init)
        guard parts.count == 4, parts[0] == Self.form, let number = Int(parts[2]), let emptyPages = Int(parts[3]) else {
            throw Refusal("BAD_REQUEST", "Invalid continuation format")
        }
        guard parts[1] == "\(incarnation.uuidString).\(tokenAge)" else {
            throw Refusal("BAD_REQUEST", "client knowledge differs from server knowledge")
        }
        return Place(number: number, emptyPages: emptyPages)
    }

    /// What changed after a place, in order.
    func changes(after number: Int) -> [(name: String, entry: Entry)] {
        entries.filter { $0.value.place > number }.sorted { $0.value.place < $1.value.place }.map { (name: $0.key, entry: $0.value) }
    }
}

extension Zone.Entry {
    /// A record in full, or its tombstone: without a type, as it was seen.
    func json(_ name: String, in zone: ZoneKey) -> JSONValue {
        if isDeleted {
            return .record([("recordName", .string(name)), ("recordType", .null), ("deleted", .boolean(true)), ("zoneID", State.zoneID(zone))])
        }
        return .record([
            ("recordName", .string(name)), ("recordType", .string(type)),
            ("fields", .record(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })), ("pluginFields", .record([])),
            ("recordChangeTag", .string(tag)), ("created", stamp(created)), ("modified", stamp(modified)), ("deleted", .boolean(false)),
            ("zoneID", State.zoneID(zone)),
        ])
    }

    private func stamp(_ time: Int64) -> JSONValue {
        .record([("timestamp", .integer(time)), ("userRecordName", .string(user)), ("deviceID", .string("2"))])
    }
}
