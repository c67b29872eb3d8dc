import SluiceRecords
import SluiceSchema

/// A look at every row of an export: what has a counterpart in its schema, and what the schema promises that rows break.
struct JSONSurvey {
    private struct Column {
        var values = 0
        var read = 0
    }

    private let index: JSONIndex
    /// By "Entity.key" of `values`, `references` and `positions`, the entity being the row's own.
    private var columns: [String: [String: Column]] = [:]
    private var findings = ReadFindings()
    /// By declaring entity and property: rows without a value that must have one.
    private var empty: [String: Int] = [:]
    private var notes: [ImportNote] = []
    private var linkCounts: [String: (all: Int, read: Int)] = [:]

    init(_ index: JSONIndex) throws {
        self.index = index
        let dangling = try index.danglingReferences()
        var missing: [String: Int] = [:]
        for reference in dangling { missing["\(reference.entity).\(reference.relationship)"] = reference.count }
        for entity in index.entities { try read(entity, missing) }
        for reference in dangling {
            notes.append(
                .danglingReference(
                    relationship: "\(reference.entity).\(reference.relationship)", count: reference.count, rows: reference.rows))
        }
        var lost: [String: Int] = [:]
        var counts = linkCounts
        try index.forEachLink { link in
            let key = "\(link.entity).\(link.relationship)"
            counts[key, default: (0, 0)].all += 1
            if try index.resolved(link) == nil { lost[key, default: 0] += 1 } else { counts[key, default: (0, 0)].read += 1 }
        }
        linkCounts = counts
        for (key, count) in lost.sorted(by: { $0.key < $1.key }) {
            notes.append(.danglingReference(relationship: key, count: count, rows: []))
        }
    }

    private mutating func read(_ entity: String, _ missing: [String: Int]) throws {
        guard let declared = index.schema.entity(named: entity) else { return }
        let attributes = Dictionary(index.schema.attributes(of: declared).map { ($0.name, $0) }) { first, _ in first }
        let toOne = index.schema.relationships(of: declared).filter { !$0.isToMany }
        var (own, found, absent) = (columns[entity] ?? [:], findings, [String: Int]())
        try index.forEachRow(of: entity) { ordinal, row, _ in
            var empty = Set(attributes.keys)
            for (key, value) in row.values where !value.isNull {
                own[key, default: Column()].values += 1
                guard let attribute = attributes[key] else { continue }
                guard let scalar = value.scalar, scalar.property(as: attribute.type) != nil else {
                    found.note(.unreadableValue, entity, key, row: ordinal)
                    continue
                }
                own[key, default: Column()].read += 1
                empty.remove(key)
            }
            for name in empty { absent[name, default: 0] += 1 }
            for key in row.references.keys { own[key, default: Column()].values += 1 }
            for relationship in toOne where row.references[relationship.name] == nil { absent[relationship.name, default: 0] += 1 }
            found.count(row: entity)
        }
        for relationship in toOne {
            let dangling = missing["\(entity).\(relationship.name)"] ?? 0
            let values = own[relationship.name]?.values ?? 0
            own[relationship.name]?.read = values - dangling
            absent[relationship.name, default: 0] += dangling
        }
        findings = found
        columns[entity] = own
        for (name, count) in absent where count > 0 {
            let owner = index.schema.lineage(of: declared).first { owner in
                owner.attributes.contains { $0.name == name } || owner.relationships.contains { $0.name == name }
            }
            empty["\(owner?.name ?? entity).\(name)", default: 0] += count
        }
    }

    /// The export's schema, loosened where rows break it.
    mutating func schema() throws -> Schema {
        var entities = index.schema.entities
        for position in entities.indices {
            let entity = entities[position].name
            for (place, attribute) in entities[position].attributes.enumerated() where !attribute.isOptional {
                guard let count = empty["\(entity).\(attribute.name)"] else { continue }
                entities[position].attributes[place].isOptional = true
                notes.append(.madeOptional(property: "\(entity).\(attribute.name)", rowCount: count))
            }
            for (place, relationship) in entities[position].relationships.enumerated() where !relationship.isOptional && !relationship.isToMany {
                guard let count = empty["\(entity).\(relationship.name)"] else { continue }
                entities[position].relationships[place].isOptional = true
                notes.append(.madeOptional(property: "\(entity).\(relationship.name)", rowCount: count))
            }
            if entities[position].isAbstract, let count = index.rowCounts[entity] {
                entities[position].isAbstract = false
                notes.append(.madeConcrete(entity: entity, rowCount: count))
            }
        }
        return try Schema(name: index.schema.name, version: index.schema.version, validating: entities)
    }

    func report(of store: StagedStore, _ schema: Schema) -> ImportReport {
        var tables = index.entities.map { entity in
            ImportReport.Table(
                name: entity, fate: .entities(root: entity), rowCount: index.rowCounts[entity] ?? 0,
                importedRowCount: index.rowCounts[entity] ?? 0, columns: columns(of: entity))
        }
        for (relationship, count) in linkCounts.sorted(by: { $0.key < $1.key }) {
            tables.append(
                ImportReport.Table(
                    name: relationship, fate: .pairs(relationship: relationship), rowCount: count.all, importedRowCount: count.read, columns: []))
        }
        let counts = index.entities.map {
            ImportReport.EntityCount(entity: $0, number: nil, table: $0, rowCount: index.rowCounts[$0] ?? 0)
        }
        return ImportReport(
            exportOf: store, storeIdentifier: index.storeIdentifier, schema: schema, tables: tables, entities: counts,
            notes: notes + ImportReport.notes(on: findings))
    }

    private func columns(of entity: String) -> [ImportReport.Column] {
        guard let declared = index.schema.entity(named: entity) else { return [] }
        let attributes = Dictionary(index.schema.attributes(of: declared).map { ($0.name, $0) }) { first, _ in first }
        let toOne = Set(index.schema.relationships(of: declared).filter { !$0.isToMany }.map(\.name))
        return (columns[entity] ?? [:]).sorted { $0.key < $1.key }.map { key, count in
            let owner = index.schema.lineage(of: declared).first { owner in
                owner.attributes.contains { $0.name == key } || owner.relationships.contains { $0.name == key }
            }
            let property = "\(owner?.name ?? entity).\(key)"
            let fate: ImportReport.ColumnFate =
                attributes[key] != nil
                ? .attribute(property: property)
                : toOne.contains(key) ? .reference(relationship: property) : .left(reason: "the export's schema has no such property")
            return ImportReport.Column(
                name: key, declaredType: attributes[key]?.type.rawValue ?? (toOne.contains(key) ? "reference" : ""), fate: fate,
                valueCount: count.values, importedCount: count.read)
        }
    }
}
