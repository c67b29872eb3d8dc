import FoundationEssentials
import SluiceReader
import SluiceJSON
import SluiceSchema

/// What `query` asks for.
struct RowsWanted {
    var entity: String
    var filter: RowFilter?
    var order = RowOrder()
    var fields: [String]?
    var limit: Int

    static let limitUsual = 50

    init(_ arguments: ToolArguments, rowsMax: Int) throws {
        entity = try arguments.text("entity", isRequired: true) ?? ""
        fields = try arguments.texts("fields")
        if let text = try arguments.text("filter") {
            do { filter = try RowFilter(parsing: text) } catch { throw Tools.Fault(message: "filter, \(error)") }
        }
        if let text = try arguments.text("order") {
            do { order = try RowOrder(parsing: text) } catch { throw Tools.Fault(message: "order, \(error)") }
        }
        let limit = try arguments.number("limit") ?? Self.limitUsual
        guard limit >= 0 else { throw Tools.Fault(message: "limit is not negative") }
        self.limit = min(limit, rowsMax)
    }

    init(entity: String, limit: Int) {
        self.entity = entity
        self.limit = limit
    }
}

/// Answers as JSON, each of one state of the container.
struct Questions {
    private let library: Library

    init(_ library: Library) { self.library = library }

    private func json(_ body: (inout JSONWriter) throws -> Void) rethrows -> Data {
        var writer = JSONWriter(capacity: 4_096)
        try writer.object { try body(&$0) }
        return writer.data
    }

    private static func entity(_ name: String, in snapshot: Snapshot) throws -> Entity {
        if let entity = snapshot.schema.entity(named: name) { return entity }
        throw Tools.Fault(message: "there is no entity \(name.prefix(100)); there are \(snapshot.entities.map(\.name).joined(separator: ", "))")
    }

    func entities() throws -> Data {
        try library.read { snapshot in
            try json { writer in
                try writer.array("entities") { writer in
                    for entity in snapshot.entities {
                        let count = try snapshot.count(of: entity.name)
                        writer.object { writer in
                            writer.member("name", entity.name)
                            writer.member("rows", Int64(count))
                            writer.member("superentity", entity.superentity)
                        }
                    }
                }
                writer.state(snapshot.summary)
            }
        }
    }

    func description(of name: String) throws -> Data {
        try library.read { snapshot in
            let entity = try Self.entity(name, in: snapshot)
            return json { writer in
                Self.describe(entity, in: snapshot.schema, &writer)
                writer.state(snapshot.summary)
            }
        }
    }

    private static func describe(_ entity: Entity, in schema: Schema, _ writer: inout JSONWriter) {
        writer.member("name", entity.name)
        writer.member("superentity", entity.superentity)
        let subentities = schema.family(of: entity).map(\.name).filter { $0 != entity.name }
        if !subentities.isEmpty { writer.member("subentities", subentities) }
        writer.array("attributes") { writer in
            for attribute in schema.attributes(of: entity) {
                writer.object { writer in
                    writer.member("name", attribute.name)
                    writer.member("type", attribute.type.rawValue)
                    writer.member("optional", attribute.isOptional)
                }
            }
        }
        writer.array("relationships") { writer in
            for relationship in schema.relationships(of: entity) {
                writer.object { writer in
                    writer.member("name", relationship.name)
                    writer.member("destination", relationship.destination)
                    writer.member("toMany", relationship.isToMany)
                    writer.member("inverse", relationship.inverse)
                }
            }
        }
    }

    func rows(_ wanted: RowsWanted) throws -> Data {
        try library.read { snapshot in
            let entity = try Self.entity(wanted.entity, in: snapshot)
            return try json { writer in
                writer.member("entity", entity.name)
                try write(wanted, of: entity, from: snapshot, &writer)
                writer.state(snapshot.summary)
            }
        }
    }

    /// The description of an entity and its first rows.
    /// - Returns: nil for an entity that is not there.
    func overview(of name: String) throws -> Data? {
        try library.read { snapshot in
            guard let entity = snapshot.schema.entity(named: name) else { return nil }
            return try json { writer in
                Self.describe(entity, in: snapshot.schema, &writer)
                try write(RowsWanted(entity: name, limit: min(RowsWanted.limitUsual, library.rowsMax)), of: entity, from: snapshot, &writer)
                writer.state(snapshot.summary)
            }
        }
    }

    private func write(_ wanted: RowsWanted, of entity: Entity, from snapshot: Snapshot, _ writer: inout JSONWriter) throws {
        let fields = try Self.fields(wanted.fields, of: entity, in: snapshot.schema)
        let total = try asFault { try snapshot.count(of: entity.name, where: wanted.filter) }
        var (returned, isFull, bytes) = (0, false, 0)
        try writer.array("rows") { writer in
            try asFault {
                try snapshot.forEachRow(
                    of: entity.name, where: wanted.filter, order: wanted.order, limit: wanted.limit, attributes: Set(fields)
                ) { row in
                    if isFull { return }
                    var element = JSONWriter()
                    element.row(row, fields)
                    bytes += element.count
                    guard bytes <= Library.rowBytesMax else { return isFull = true }
                    writer.encoded(element.data)
                    returned += 1
                }
            }
        }
        writer.member("returned", Int64(returned))
        writer.member("total", Int64(total))
        if returned < total {
            writer.member("note", isFull ? "the answer was full: ask for fewer fields, or a narrower filter" : "there are more rows: narrow the filter, or raise limit up to \(library.rowsMax)")
        }
    }

    func record(_ name: String, fields: [String]?) throws -> Data {
        let name = RecordName(name)
        return try library.read { snapshot in
            guard let found = try snapshot.row(named: name, attributes: []) else {
                throw Tools.Fault(message: "there is no record \(name.text.prefix(255)) in this container")
            }
            let entity = try Self.entity(found.entity, in: snapshot)
            let shown = try Self.fields(fields, of: entity, in: snapshot.schema)
            let row = try snapshot.row(named: name, attributes: Set(shown)) ?? found
            return try json { writer in
                var element = JSONWriter()
                element.row(row, shown)
                guard element.count <= Library.rowBytesMax else {
                    throw Tools.Fault(message: "the record has \(element.count) bytes, and an answer at most \(Library.rowBytesMax): name fewer fields")
                }
                writer.key("record")
                writer.encoded(element.data)
                writer.state(snapshot.summary)
            }
        }
    }

    private static func fields(_ asked: [String]?, of entity: Entity, in schema: Schema) throws -> [String] {
        let usual = Library.usualFields(of: entity, in: schema)
        guard let asked else { return usual }
        let known = Library.allFields(of: entity, in: schema)
        if let other = asked.first(where: { !known.contains($0) }) {
            throw Tools.Fault(message: "\(entity.name) has no property \(other.prefix(100)); it has \(known.sorted().joined(separator: ", "))")
        }
        var seen: Set<String> = []
        return asked.filter { seen.insert($0).inserted }
    }

    /// A filter or an order that does not fit is the model's to mend.
    private func asFault<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch ReaderError.query(let error) { throw Tools.Fault(message: "\(error)") }
    }

    func freshness() -> Data {
        let status = library.container.status(staleAfter: library.staleAfter)
        return json { writer in
            writer.member("status", status.word)
            writer.member("problem", status.problem(in: library.container.directory))
            if case .migrating(let progress, _) = status {
                writer.object("migration") { writer in
                    writer.member("stage", Int64(progress.stage))
                    writer.member("stageCount", Int64(progress.stageCount))
                    writer.member("stageName", progress.stageName)
                }
            }
            guard let summary = status.summary else { return }
            writer.state(summary)
            if let lastSync = summary.lastSync { writer.member("secondsSinceSync", Int64(max(0, Date().timeIntervalSince(lastSync)))) }
            writer.member("schema", summary.schemaName)
            writer.member("schemaVersion", summary.schemaVersion.description)
        }
    }
}
