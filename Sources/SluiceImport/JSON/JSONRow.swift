// One row of an export, as Docs/Import.md describes it:
//
//     {"entity":"Item","name":"5B1D…","values":{"title":"Milk"},"references":{"list":"9F10…"},"positions":{"list":2048}}
//
// and one membership that no to-one holds:
//
//     {"relationship":"Item.tags","owner":"5B1D…","member":"0C4E…","position":1,"ownerPosition":3}

import Foundation
import SluiceRecords
import SluiceSchema

/// A row as an export spells it; references are names.
struct JSONRow {
    var entity: String
    var name: RecordName
    var values: [String: JSONValue]
    var references: [String: RecordName]
    var positions: [String: Int64]

    init(parsing data: Data) throws(WireError) {
        let object = try JSONValue(parsing: data).asObject()
        entity = try object.requiredString("entity")
        name = RecordName(try object.requiredString("name"))
        values = [:]
        references = [:]
        positions = [:]
        for (key, value) in try object.object("values")?.members ?? [] { values[key] = value }
        for (key, value) in try object.object("references")?.members ?? [] where !value.isNull {
            references[key] = RecordName(try value.asString())
        }
        for (key, value) in try object.object("positions")?.members ?? [] { positions[key] = try value.asInteger() }
        try object.refuse(keysBesides: ["entity", "name", "values", "references", "positions"])
    }
}

/// A membership as an export spells it.
struct JSONLink {
    let entity: String
    let relationship: String
    let owner: RecordName
    let member: RecordName
    let position: Int64?
    let ownerPosition: Int64?

    init(parsing data: Data) throws(WireError) {
        let object = try JSONValue(parsing: data).asObject()
        let path = try object.requiredString("relationship").split(separator: ".", maxSplits: 1)
        guard path.count == 2 else { throw WireError(.unexpected, "`relationship` must be like Entity.relationship") }
        entity = String(path[0])
        relationship = String(path[1])
        owner = RecordName(try object.requiredString("owner"))
        member = RecordName(try object.requiredString("member"))
        position = try object.integer("position")
        ownerPosition = try object.integer("ownerPosition")
        try object.refuse(keysBesides: ["relationship", "owner", "member", "position", "ownerPosition"])
    }
}

extension JSONObject {
    /// A misspelled key would be a value that is lost silently.
    func refuse(keysBesides known: [String]) throws(WireError) {
        for (key, _) in members where !known.contains(key) { throw WireError(.unexpected, "unknown key `\(key)`") }
    }
}

extension JSONValue {
    /// As a scalar; nil for a list or an object.
    var scalar: ScalarForm? {
        switch self {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .array, .object: nil
        }
    }
}
