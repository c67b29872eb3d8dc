import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema

/// Where the rows of an export lie. Its temporary database is a file of SQLite's own and is gone with the value:
///
///     row         (ordinal) → entity, name, offset, length
///     link        (ordinal) → offset, length
///     reference   (relationship, target's name) of each to-one, so that those without a target are found
final class JSONIndex {
    let store: StagedStore
    let schema: Schema
    let storeIdentifier: String
    /// In the order that the export states, then of their first rows.
    private(set) var entities: [String] = []
    /// The declared to-one relationships by number, as `reference` has them: the entity's own view, inherited ones too.
    private(set) var relationships: [(entity: String, relationship: Relationship)] = []
    private(set) var rowCounts: [String: Int] = [:]
    private(set) var rowCount = 0
    private(set) var linkCount = 0

    let connection: Connection
    private var numbers: [String: Int64] = [:]
    private var relationshipNumbers: [String: Int64] = [:]

    /// - Throws: `JSONFault`, `ImportError`.
    init(_ store: StagedStore) throws {
        self.store = store
        connection = try Connection(path: "", mode: .create)
        try connection.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE row(ordinal INTEGER PRIMARY KEY, entity INTEGER, name, offset INTEGER, length INTEGER, UNIQUE (name));
            CREATE INDEX row_entity ON row(entity, ordinal);
            CREATE TABLE link(ordinal INTEGER PRIMARY KEY, offset INTEGER, length INTEGER);
            CREATE TABLE reference(relationship INTEGER, source INTEGER, target);
            BEGIN;
            """)
        var header = JSONHeader()
        var counts: JSONHeader.Counts?
        (schema, storeIdentifier) = try header.read(store.path)
        for name in header.entities { number(name) }
        var pieces = try JSONPieces(reading: store.path)
        try pieces.forEach { piece, place in
            switch piece {
            case .element("rows", let text): try add(row: text, place)
            case .element("links", let text): try add(link: text, place)
            case .element("entities", _), .member, .end: break
            case .element(let key, _): throw JSONFault(line: place.line, detail: "unknown list `\(key)`")
            case .line(let text): counts = try add(line: text, place) ?? counts
            }
        }
        counts = counts ?? header.counts
        let found = JSONHeader.Counts(rows: rowCount, links: linkCount)
        guard let counts else { throw ImportError.incompleteExport(path: store.source, expected: nil, found: found.rows) }
        guard counts == found else {
            throw ImportError.incompleteExport(path: store.source, expected: counts.rows, found: found.rows)
        }
    }

    // MARK: Adding

    @discardableResult
    private func number(_ entity: String) -> Int64 {
        if let number = numbers[entity] { return number }
        entities.append(entity)
        numbers[entity] = Int64(entities.count)
        return Int64(entities.count)
    }

    private func add(line text: Data, _ place: JSONPieces.Place) throws -> JSONHeader.Counts? {
        let value = try parsed(place) { try JSONValue(parsing: text).asObject() }
        if value.member("relationship") != nil {
            try add(link: text, place)
        } else if value.member("counts") != nil {
            return try parsed(place) { try JSONHeader.Counts(value) }
        } else {
            try add(row: text, place)
        }
        return nil
    }

    private func parsed<Value>(_ place: JSONPieces.Place, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as WireError { throw JSONFault(line: place.line, detail: "\(error)") }
    }

    private func add(row text: Data, _ place: JSONPieces.Place) throws {
        let row = try parsed(place) { try JSONRow(parsing: text) }
        guard let entity = schema.entity(named: row.entity) else {
            throw JSONFault(line: place.line, detail: "the export's schema has no entity `\(row.entity)`")
        }
        let ordinal = Int64(rowCount + 1)
        let isNew = try connection.run(
            "INSERT OR IGNORE INTO row VALUES (?, ?, ?, ?, ?)",
            [
                .integer(ordinal), .integer(number(row.entity)), row.name.stored, SQLiteValue(place.offset), SQLiteValue(text.count),
            ])
        guard isNew == 1 else { throw JSONFault(line: place.line, detail: "its record name stands above already") }
        rowCounts[row.entity, default: 0] += 1
        rowCount += 1
        for (name, target) in row.references {
            guard let relationship = schema.relationships(of: entity).first(where: { $0.name == name && !$0.isToMany }) else { continue }
            try connection.run(
                "INSERT INTO reference VALUES (?, ?, ?)", [.integer(number(relationship, of: row.entity)), .integer(ordinal), target.stored])
        }
    }

    private func number(_ relationship: Relationship, of entity: String) -> Int64 {
        let key = "\(entity).\(relationship.name)"
        if let number = relationshipNumbers[key] { return number }
        relationships.append((entity, relationship))
        relationshipNumbers[key] = Int64(relationships.count)
        return Int64(relationships.count)
    }

    private func add(link text: Data, _ place: JSONPieces.Place) throws {
        let link = try parsed(place) { try JSONLink(parsing: text) }
        guard declared(link)?.isToMany == true else {
            throw JSONFault(line: place.line, detail: "the export's schema has no to-many `\(link.entity).\(link.relationship)`")
        }
        linkCount += 1
        try connection.run("INSERT INTO link(offset, length) VALUES (?, ?)", [SQLiteValue(place.offset), SQLiteValue(text.count)])
    }

    func declared(_ link: JSONLink) -> Relationship? {
        schema.entity(named: link.entity).flatMap { schema.relationships(of: $0).first { $0.name == link.relationship } }
    }

    // MARK: Reading

    /// Calls `body` with each row's number, the row, and the bytes it takes.
    func forEachRow(of entity: String, _ body: (Int64, JSONRow, Int) throws -> Void) throws {
        let file = try OpenFile.reading(store.path)
        try connection.forEachRow(
            "SELECT ordinal, offset, length FROM row WHERE entity = ? ORDER BY ordinal", [.integer(numbers[entity] ?? 0)]
        ) { statement in
            let length = Int(statement.integer(2))
            let text = try file.read(length, at: Int(statement.integer(1)))
            try body(statement.integer(0), try JSONRow(parsing: text), length)
        }
    }

    func forEachLink(_ body: (JSONLink) throws -> Void) throws {
        let file = try OpenFile.reading(store.path)
        try connection.forEachRow("SELECT offset, length FROM link ORDER BY ordinal") { statement in
            try body(try JSONLink(parsing: try file.read(Int(statement.integer(1)), at: Int(statement.integer(0)))))
        }
    }

    /// The row of that name; nil where there is none, or one of an entity that `destination` does not allow.
    func place(of name: RecordName, in destination: String) throws -> LegacyReference? {
        guard let allowed = schema.entity(named: destination).map({ Set(schema.family(of: $0).map(\.name)) }) else { return nil }
        return try connection.firstRow("SELECT ordinal, entity FROM row WHERE name = ?", [name.stored]) { statement in
            let entity = entities[Int(statement.integer(1)) - 1]
            return allowed.contains(entity)
                ? LegacyReference(entity: entity, primaryKey: statement.integer(0), position: nil) : nil
        } ?? nil
    }

    /// Nil where one of its ends is not there.
    func resolved(_ link: JSONLink) throws -> LegacyLink? {
        guard let relationship = declared(link), let owner = try place(of: link.owner, in: link.entity),
            let member = try place(of: link.member, in: relationship.destination)
        else { return nil }
        return LegacyLink(
            relationship: relationship.name, inverse: relationship.inverse, owner: owner.at(link.ownerPosition),
            member: member.at(link.position))
    }

    /// References without a target, by the entity and relationship they belong to, with some of their rows.
    func danglingReferences() throws -> [(entity: String, relationship: String, rows: [Int64], count: Int)] {
        try connection.execute("CREATE INDEX IF NOT EXISTS reference_relationship ON reference(relationship)")
        var found: [(String, String, [Int64], Int)] = []
        for (position, entry) in relationships.enumerated() {
            let family = schema.entity(named: entry.relationship.destination).map { schema.family(of: $0).map(\.name) } ?? []
            let allowed = family.compactMap { numbers[$0] }.map(String.init).joined(separator: ", ")
            let condition =
                "relationship = ? AND NOT EXISTS (SELECT 1 FROM row WHERE row.name = reference.target AND entity IN (\(allowed)))"
            let count = Int(try connection.integer("SELECT count(*) FROM reference WHERE \(condition)", [SQLiteValue(position + 1)]))
            guard count > 0 else { continue }
            let rows = try connection.rows(
                "SELECT source FROM reference WHERE \(condition) ORDER BY source LIMIT 5", [SQLiteValue(position + 1)]
            ) { $0.integer(0) }
            found.append((entry.entity, entry.relationship.name, rows, count))
        }
        return found
    }
}
