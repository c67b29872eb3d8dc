import Foundation
import SluiceDigest
import SluiceRecords

/// Where a record stands in the order of a query: by the sort's values, then by zone and name, so that no two stand at the same place.
package struct QueryPlace: Hashable, Sendable {
    /// One per sort; nil where the record has no such field.
    package var keys: [QueryOperand?]
    package var zone: String
    package var recordName: String

    package init(keys: [QueryOperand?] = [], zone: String, recordName: String) {
        self.keys = keys
        self.zone = zone
        self.recordName = recordName
    }
}

/// The order of a query's results. Without a value comes before every value.
struct QueryOrder: Sendable {
    let isAscending: [Bool]

    func precedes(_ left: QueryPlace, _ right: QueryPlace) -> Bool {
        for (index, isAscending) in isAscending.enumerated() {
            let order = QueryOperand.sortOrder(left.keys[index], right.keys[index])
            if order != 0 { return (order < 0) == isAscending }
        }
        let zones = QueryOperand.order(Array(left.zone.utf8), Array(right.zone.utf8))
        return zones != 0 ? zones < 0 : QueryOperand.order(Array(left.recordName.utf8), Array(right.recordName.utf8)) < 0
    }
}

/// The first few places of many, in order; the others are forgotten as they come.
struct FirstPlaces {
    let order: QueryOrder
    let count: Int
    private(set) var places: [QueryPlace] = []

    mutating func insert(_ place: QueryPlace) {
        if places.count == count, let last = places.last, !order.precedes(place, last) { return }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if order.precedes(places[middle], place) { low = middle + 1 } else { high = middle }
        }
        places.insert(place, at: low)
        if places.count > count { places.removeLast() }
    }
}

/// The text by which a client goes on with a query: the place of the last record of a page, and which query it was.
///
///     base64 of {"version":1,"query":"<16 hexadecimal digits>","zone":"…","name":"…","keys":[{"value":…,"type":"INT64"},null]}
///
/// It opens nothing: whoever makes one up gets a page of the own database, from another place on.
struct QueryMarker {
    private static let version: Int64 = 1
    let place: QueryPlace

    func text(for request: RecordQueryRequest) throws(WireError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", Self.version)
        writer.member("query", try Self.digest(of: request))
        writer.member("zone", place.zone)
        writer.member("name", place.recordName)
        writer.key("keys")
        writer.beginArray()
        for key in place.keys {
            if let key { try Field(key.markerValue).write(to: &writer) } else { writer.null() }
        }
        writer.endArray()
        writer.endObject()
        return writer.data.base64EncodedString()
    }

    init(_ place: QueryPlace) { self.place = place }

    /// - Throws: `BAD_REQUEST` for what is no marker, or one of another query.
    init(_ text: String, for request: RecordQueryRequest) throws(ServerError) {
        guard let place = try? Self.read(text, sortCount: request.query.sorts.count) else {
            throw ServerError(.badRequest, "Invalid continuation format")
        }
        guard let digest = try? Self.digest(of: request), digest == place.query else {
            throw ServerError(.badRequest, "the continuation marker belongs to another query; send the query that it came from")
        }
        self.place = place.place
    }

    private static func read(_ text: String, sortCount: Int) throws(WireError) -> (place: QueryPlace, query: String) {
        guard let data = Data(base64Encoded: text) else { throw WireError(.malformed, "base64 was expected") }
        let object = try JSONValue(parsing: data).asObject()
        guard try object.requiredInteger("version") == version else { throw WireError(.unexpected, "another version") }
        var keys: [QueryOperand?] = []
        guard let member = object["keys"] else { throw WireError(.missing, "keys") }
        for json in try member.asArray() {
            let key = json.isNull ? nil : try Field(json: json).value.flatMap { QueryOperand($0, in: "") }
            guard json.isNull || key != nil else { throw WireError(.unexpected, "a key of no order") }
            keys.append(key)
        }
        guard keys.count == sortCount else { throw WireError(.unexpected, "another number of keys") }
        let place = QueryPlace(keys: keys, zone: try object.requiredString("zone"), recordName: try object.requiredString("name"))
        return (place, try object.requiredString("query"))
    }

    /// What must be the same from page to page. The owner of a zone may be named or not.
    private static func digest(of request: RecordQueryRequest) throws(WireError) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        try request.query.write(to: &writer)
        writer.string(request.zoneID?.zoneName ?? "")
        writer.boolean(request.isZoneWide)
        writer.endArray()
        return Digest.sha256(writer.data).prefix(8).hexadecimal
    }
}

extension QueryOperand {
    /// The value as a marker writes it; sorting has only these.
    fileprivate var markerValue: FieldValue {
        switch self {
        case .integer(let value): .int64(value)
        case .double(let value): .double(value)
        case .text(let text): .string(String(decoding: text, as: UTF8.self))
        case .bytes(let data): .bytes(data)
        case .reference(let name, _): .string(String(decoding: name, as: UTF8.self))
        }
    }
}
