// Where a schema lies in a file. Pure arithmetic over Schema: the same schema gives the same layout on every machine.
//
// - To-one: a column with the destination's key. One-to-one: held by one side, the required one, else the one whose
//   "Entity.relationship", in first-version names, sorts first; the other side reads it backwards.
// - To-many with a to-one inverse: nothing; derived from the child. Without an inverse: a column `_Owner_relationship` on the child.
// - Ordered to-many: beside the column that relates a member stands `_position_Owner_relationship`, its place among the others; in a table of
//   pairs `position`, and `inverse_position` for the other side's order. To the rest of the store these are attributes like any other.
// - Many-to-many: a table of pairs named `Owner_relationship` after the side that sorts first. To the rest of the store it is an entity
//   with two required references, so that change capture, sync and projection know no special case.

/// A schema together with the tables and columns that hold it.
package struct StoredSchema: Sendable {
    package let schema: Schema
    package let tables: [TableLayout]
    /// Declared entities and joins, by name.
    package let entities: [String: StoredEntity]
    /// The same, sorted by name.
    package let sortedEntities: [StoredEntity]

    package init(_ schema: Schema) {
        var builder = LayoutBuilder(schema)
        builder.build()
        self.schema = schema
        tables = builder.tables
        sortedEntities = builder.entities.sorted { $0.name < $1.name }
        entities = Dictionary(builder.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package func table(of entity: StoredEntity) -> TableLayout { tables[entity.table] }

    package func tableIndex(named name: String) -> Int? { tables.firstIndex { $0.name == name } }

    /// Entities with rows of their own in `table`.
    package func entities(in table: Int) -> [StoredEntity] { sortedEntities.filter { $0.table == table } }

    /// The entity of a row, from its table and its `_entity` column.
    package func entity(inTable table: Int, discriminator: String?) -> StoredEntity? {
        if let discriminator, let entity = entities[discriminator], entity.table == table { return entity }
        return entities[tables[table].name]
    }

    /// Names of the entities whose rows a query for `entity` returns: its own and its subentities'; nil where those are all rows of the table.
    package func rowEntities(of entity: StoredEntity) -> [String]? {
        guard entity.discriminator != nil, let declared = schema.entity(named: entity.name), declared.superentity != nil else { return nil }
        return schema.family(of: declared).map(\.name)
    }
}

private struct LayoutBuilder {
    let schema: Schema
    var tables: [TableLayout] = []
    var entities: [StoredEntity] = []

    init(_ schema: Schema) { self.schema = schema }

    /// A column and the entity that declares it.
    private struct Declared {
        let owner: String
        let property: String
        let wireName: String
        let column: TableLayout.Column
    }

    private struct Join {
        let name: String
        let wireName: String
        let owner: Entity
        let relationship: Relationship
        let inverse: Relationship
        let inverseOwner: Entity
    }

    mutating func build() {
        let roots = schema.roots
        let joins = joins()
        var declared: [[Declared]] = []
        for root in roots {
            let columns = columns(of: root)
            declared.append(columns)
            tables.append(TableLayout(name: root.name, isHierarchy: schema.family(of: root).count > 1, columns: columns.map(\.column)))
        }
        for join in joins { tables.append(layout(of: join)) }
        for (table, root) in roots.enumerated() {
            for entity in schema.family(of: root) {
                entities.append(storedEntity(entity, table: table, declared: declared, joins: joins))
            }
        }
        for (offset, join) in joins.enumerated() { entities.append(storedJoin(join, table: roots.count + offset)) }
    }

    // MARK: Columns

    private func columns(of root: Entity) -> [Declared] {
        let family = schema.family(of: root)
        var declared: [Declared] = []
        for entity in [root] + family.filter({ $0.name != root.name }) {
            let taken = Set(declared.map { $0.column.name.lowercased() })
            func name(_ property: String) -> String {
                taken.contains(property.lowercased()) ? "\(entity.name).\(property)" : property
            }
            for attribute in entity.attributes {
                declared.append(
                    Declared(
                        owner: entity.name, property: attribute.name, wireName: attribute.wireName,
                        column: .init(name: name(attribute.name), content: .attribute(attribute))))
            }
            for relationship in entity.relationships where isHeld(relationship, by: entity) {
                declared.append(
                    Declared(
                        owner: entity.name, property: relationship.name, wireName: relationship.wireName,
                        column: .init(
                            name: name(relationship.name),
                            content: .reference(table: rootName(relationship.destination), rule: .setNull))))
            }
        }
        return declared + columnsForOthers(of: root)
    }

    /// Columns that rows of this table have for the sake of relationships that other entities declare.
    private func columnsForOthers(of root: Entity) -> [Declared] {
        var declared: [Declared] = []
        for entity in schema.entities {
            for relationship in entity.relationships where relationship.isToMany && rootName(relationship.destination) == root.name {
                let wireName = "\(entity.wireName)_\(relationship.wireName)"
                if relationship.inverse == nil {
                    let name = backReference(entity, relationship)
                    declared.append(
                        Declared(
                            owner: relationship.destination, property: name, wireName: wireName,
                            column: .init(name: name, content: .reference(table: rootName(entity.name), rule: .setNull))))
                }
                if relationship.isOrdered, schema.inverse(of: relationship)?.isToMany != true {
                    let name = position(entity, relationship)
                    declared.append(
                        Declared(
                            owner: relationship.destination, property: name, wireName: "\(wireName)_position",
                            column: Self.positionColumn(name)))
                }
            }
        }
        return declared
    }

    private static func positionColumn(_ name: String) -> TableLayout.Column {
        .init(name: name, content: .attribute(Attribute(name, .int64, isOptional: true)))
    }

    private func position(_ entity: Entity, _ relationship: Relationship) -> String { "_position_\(entity.name)_\(relationship.name)" }

    private func backReference(_ entity: Entity, _ relationship: Relationship) -> String { "_\(entity.name)_\(relationship.name)" }

    private func rootName(_ entity: String) -> String { schema.entity(named: entity).map { schema.root(of: $0).name } ?? entity }

    /// Whether a to-one relationship has a column on its own side.
    private func isHeld(_ relationship: Relationship, by entity: Entity) -> Bool {
        guard !relationship.isToMany else { return false }
        guard let inverse = schema.inverse(of: relationship), !inverse.isToMany else { return true }
        if relationship.isOptional != inverse.isOptional { return !relationship.isOptional }
        return sorts(relationship, of: entity, before: inverse, of: declaringEntity(of: inverse.name, from: relationship.destination))
    }

    /// First-version names decide, so that no rename turns a relationship around; current ones where those are equal.
    private func sorts(_ one: Relationship, of entity: Entity, before other: Relationship, of otherEntity: Entity) -> Bool {
        let (wire, otherWire) = ("\(entity.wireName).\(one.wireName)", "\(otherEntity.wireName).\(other.wireName)")
        return wire == otherWire ? "\(entity.name).\(one.name)" <= "\(otherEntity.name).\(other.name)" : wire < otherWire
    }

    /// The entity in the lineage of `name` that declares the relationship.
    private func declaringEntity(of relationship: String, from name: String) -> Entity {
        guard let entity = schema.entity(named: name) else { return Entity(name) }
        return schema.lineage(of: entity).first { $0.relationships.contains { $0.name == relationship } } ?? entity
    }

    // MARK: Many-to-many

    private func joins() -> [Join] {
        var joins: [Join] = []
        for entity in schema.entities {
            for relationship in entity.relationships where relationship.isToMany {
                guard let inverse = schema.inverse(of: relationship), inverse.isToMany else { continue }
                let inverseOwner = declaringEntity(of: inverse.name, from: relationship.destination)
                guard sorts(relationship, of: entity, before: inverse, of: inverseOwner) else { continue }
                joins.append(
                    Join(
                        name: "\(entity.name)_\(relationship.name)", wireName: "\(entity.wireName)_\(relationship.wireName)",
                        owner: entity, relationship: relationship, inverse: inverse, inverseOwner: inverseOwner))
            }
        }
        return joins
    }

    private func layout(of join: Join) -> TableLayout {
        var columns: [TableLayout.Column] = [
            .init(name: "source", content: .reference(table: rootName(join.owner.name), rule: .cascade)),
            .init(name: "target", content: .reference(table: rootName(join.relationship.destination), rule: .cascade)),
        ]
        if join.relationship.isOrdered { columns.append(Self.positionColumn(Self.joinPosition)) }
        if join.inverse.isOrdered { columns.append(Self.positionColumn(Self.inverseJoinPosition)) }
        return TableLayout(name: join.name, isHierarchy: false, columns: columns)
    }

    private static let joinPosition = "position"
    private static let inverseJoinPosition = "inverse_position"

    private func storedJoin(_ join: Join, table: Int) -> StoredEntity {
        let names = tables[table].columns.map(\.name)
        return StoredEntity(
            name: join.name, wireName: join.wireName, table: table, discriminator: nil, isAbstract: false,
            isLocalOnly: schema.isLocalOnly(join.owner) || schema.isLocalOnly(join.inverseOwner), isJoin: true,
            columns: Array(names.indices), propertyNames: names, wireNames: names, identity: [], uniqueness: [[0, 1]], links: [])
    }

    // MARK: Entities

    private func storedEntity(_ entity: Entity, table: Int, declared: [[Declared]], joins: [Join]) -> StoredEntity {
        let lineage = Set(schema.lineage(of: entity).map(\.name))
        let own = declared[table].enumerated().filter { lineage.contains($0.element.owner) }
        let positions = Dictionary(own.map { ($0.element.property, $0.offset) }, uniquingKeysWith: { first, _ in first })
        return StoredEntity(
            name: entity.name, wireName: entity.wireName, table: table,
            discriminator: tables[table].isHierarchy ? entity.name : nil, isAbstract: entity.isAbstract,
            isLocalOnly: schema.isLocalOnly(entity), isJoin: false, columns: own.map(\.offset),
            propertyNames: own.map(\.element.property), wireNames: own.map(\.element.wireName),
            identity: schema.identity(of: entity).compactMap { positions[$0] },
            uniqueness: schema.uniqueness(of: entity).map { $0.compactMap { positions[$0] } }.filter { !$0.isEmpty },
            links: schema.relationships(of: entity).compactMap { link($0, from: entity, positions: positions, declared: declared, joins: joins) })
    }

    private func link(
        _ relationship: Relationship, from entity: Entity, positions: [String: Int], declared: [[Declared]], joins: [Join]
    ) -> StoredEntity.Link? {
        if let column = positions[relationship.name] {
            return .init(relationship: relationship, place: .own(column: column), positionColumn: nil)
        }
        for (offset, join) in joins.enumerated() {
            let table = tables.count - joins.count + offset
            if join.relationship == relationship, schema.lineage(of: entity).contains(where: { $0.name == join.owner.name }) {
                return .init(
                    relationship: relationship, place: .join(table: table, own: 0, other: 1),
                    positionColumn: tables[table].columns.firstIndex { $0.name == Self.joinPosition })
            }
            if join.inverse == relationship, schema.lineage(of: entity).contains(where: { $0.name == join.inverseOwner.name }) {
                return .init(
                    relationship: relationship, place: .join(table: table, own: 1, other: 0),
                    positionColumn: tables[table].columns.firstIndex { $0.name == Self.inverseJoinPosition })
            }
        }
        guard let destination = tables.firstIndex(where: { $0.name == rootName(relationship.destination) }) else { return nil }
        let declaring = declaringEntity(of: relationship.name, from: entity.name)
        let holder = relationship.inverse ?? backReference(declaring, relationship)
        let owners = schema.entity(named: relationship.destination).map { Set(schema.lineage(of: $0).map(\.name)) } ?? []
        guard let column = declared[destination].firstIndex(where: { $0.property == holder && owners.contains($0.owner) }) else { return nil }
        let position = position(declaring, relationship)
        return .init(
            relationship: relationship, place: .inverse(table: destination, column: column),
            positionColumn: declared[destination].firstIndex { $0.property == position && owners.contains($0.owner) })
    }
}
