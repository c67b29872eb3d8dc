import Foundation
import SluiceRecords
import SluiceSchema

/// What an export says before its rows.
struct JSONHeader {
    struct Counts: Equatable {
        let rows: Int
        let links: Int

        init(rows: Int, links: Int) {
            self.rows = rows
            self.links = links
        }

        /// - Parameter object: has a member `counts`.
        init(_ object: JSONObject) throws(WireError) {
            let counts = try object.requiredObject("counts")
            rows = Int(try counts.requiredInteger("rows"))
            links = Int(try counts.requiredInteger("links"))
        }
    }

    private(set) var entities: [String] = []
    /// Of a document; JSON lines state them in their last line.
    private(set) var counts: Counts?

    private static let byteCountMax = 64 << 20
    private static let depthMax = 64

    /// Reads the members of the first object.
    /// - Throws: `JSONFault` where they are not what an export begins with.
    mutating func read(_ path: String) throws -> (Schema, String) {
        var members: [String: Data] = [:]
        var entities: [String] = []
        var pieces = try JSONPieces(reading: path)
        try pieces.forEach { piece, place in
            switch piece {
            case .member(let key, let text):
                guard members[key] == nil else { throw JSONFault(line: place.line, detail: "the key `\(key)` stands twice") }
                guard ["format", "version", "store", "schema", "counts"].contains(key) else {
                    throw JSONFault(line: place.line, detail: members["format"] == nil ? Self.expectation : "unknown key `\(key)`")
                }
                guard text.count <= Self.byteCountMax else { throw JSONFault(line: place.line, detail: "`\(key)` is too long") }
                members[key] = text
            case .element("entities", let text):
                guard case .string(let name)? = try? JSONValue(parsing: text) else {
                    throw JSONFault(line: place.line, detail: "the name of an entity was expected in `entities`")
                }
                entities.append(name)
            case .element where members["format"] == nil: throw JSONFault(line: place.line, detail: Self.expectation)
            case .element, .end, .line: break
            }
        }
        self.entities = entities
        return try Self.decoded(members, &counts)
    }

    private static let expectation =
        "an export was expected that `sluice import --to-json` has written: it begins with `\"format\":\"\(JSONExport.format)\"`"

    private static func decoded(_ members: [String: Data], _ counts: inout Counts?) throws -> (Schema, String) {
        func value(_ key: String) throws -> JSONValue? {
            do { return try members[key].map { try JSONValue(parsing: $0, limits: JSONLimits(depth: depthMax)) } } catch let error as WireError {
                throw JSONFault(line: 1, detail: "`\(key)`: \(error)")
            }
        }
        guard case .string(JSONExport.format)? = try value("format") else { throw JSONFault(line: 1, detail: expectation) }
        guard case .integer(let version)? = try value("version"), version <= JSONExport.version else {
            throw JSONFault(line: 1, detail: "the export is of a newer version than this program knows; use a newer one")
        }
        guard let schema = members["schema"] else { throw JSONFault(line: 1, detail: "the export has no `schema`") }
        if let text = members["counts"] {
            // Without them nobody could tell that rows are missing.
            do { counts = try Counts(JSONValue(parsing: Data("{\"counts\":".utf8) + text + Data("}".utf8)).asObject()) } catch let error as WireError {
                throw JSONFault(line: 1, detail: "`counts`: \(error)")
            }
        }
        var store = ""
        if case .string(let identifier)? = try value("store") { store = identifier }
        do { return (try Schema(canonicalEncoding: schema), store) } catch let error as DecodingError {
            throw JSONFault(line: 1, detail: "`schema` is none: \(error)")
        }
    }
}
