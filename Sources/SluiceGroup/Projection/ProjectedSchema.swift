// The schema of a local store: what projections leave of the account's.
//
// - Entities: those with a projection, their subentities, and what they inherit from (as abstract entities).
// - Attributes: those that a projection names. One that only some rows of its table have becomes optional. Derived fields come after them.
// - Relationships: those whose two ends are both projected, named at either end. Their declaration stays as it is, so that they lie in the
//   same columns. A row whose destination was left out by a filter has no reference, even where the relationship is required.
// - Uniqueness becomes an index: the rows come from a store that keeps it, and while one generation replaces another two rows may
//   pass through one value. The identity that names are made from is dropped: nobody makes names here.

package import SluiceSchema

package struct ProjectedSchema: Sendable {
    package let schema: Schema
    /// Which projection decides about the rows of each entity.
    let governing: [String: Projection]

    package init(of source: Schema, by projections: [Projection]) throws(GroupError) {
        try Self.check(projections, in: source)
        let byEntity = Dictionary(projections.map { ($0.entity, $0) }, uniquingKeysWith: { first, _ in first })
        var governing: [String: Projection] = [:]
        for entity in source.entities {
            governing[entity.name] = source.lineage(of: entity).lazy.compactMap { byEntity[$0.name] }.first
        }
        self.governing = governing
        let selection = PropertySelection(source: source, governing: governing, derived: try Self.derived(projections, in: source))
        do { schema = try Schema(name: source.name, version: source.version, validating: selection.entities) } catch {
            throw .schema(error)
        }
    }

    /// Names of the entities whose rows a projection decides about, in a fixed order.
    func entities(governedBy projection: Projection) -> [String] {
        governing.filter { $0.value == projection }.map(\.key).sorted()
    }

    /// The attributes that hold derived fields, by entity.
    private static func derived(_ projections: [Projection], in source: Schema) throws(GroupError) -> [String: [Attribute]] {
        let layout = StoredSchema(source)
        var derived: [String: [Attribute]] = [:]
        // Rows of a hierarchy lie in one table, so a name may stand once in all of it.
        var given: [String: Set<String>] = [:]
        for projection in projections {
            guard let entity = source.entity(named: projection.entity), let stored = layout.entities[projection.entity] else { continue }
            let taken = known(entity, in: source)
            for field in projection.derived {
                guard !taken.contains(field.name), given[source.root(of: entity).name, default: []].insert(field.name).inserted else {
                    throw .derivedNameTaken(field.name, entity: projection.entity)
                }
                do {
                    let term = try DerivedTerm(field.expression, of: stored, in: layout)
                    derived[projection.entity, default: []].append(Attribute(field.name, term.type, isOptional: term.isOptional))
                } catch { throw .projection(entity: projection.entity, error) }
            }
        }
        return derived
    }

    private static func known(_ entity: Entity, in source: Schema) -> Set<String> {
        let inherited = source.lineage(of: entity) + source.family(of: entity)
        return Set(inherited.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
    }

    private static func check(_ projections: [Projection], in source: Schema) throws(GroupError) {
        var seen: Set<String> = []
        for projection in projections {
            guard seen.insert(projection.entity).inserted else { throw .projectedTwice(entity: projection.entity) }
            if let limit = projection.limit, limit < 1 { throw .limitNotPositive(limit, entity: projection.entity) }
            guard let entity = source.entity(named: projection.entity) else {
                throw .projection(
                    entity: projection.entity, .unknownEntity(projection.entity, known: source.entities.map(\.name)))
            }
            let known = known(entity, in: source)
            for field in projection.fields ?? [] where !known.contains(field) {
                throw .projection(
                    entity: projection.entity, .unknownProperty(field, entity: projection.entity, known: known.sorted()))
            }
        }
    }
}

/// Which properties of which entities remain.
private struct PropertySelection {
    let source: Schema
    let governing: [String: Projection]
    /// What rules add, by the entity they are about.
    let derived: [String: [Attribute]]

    var entities: [Entity] { source.entities.filter(isKept).map(projected) }

    /// Whether the entity or something below it has rows in the local store.
    private func isKept(_ entity: Entity) -> Bool { source.family(of: entity).contains { governing[$0.name] != nil } }

    private func governors(of entity: Entity) -> [Projection] { source.family(of: entity).compactMap { governing[$0.name] } }

    private func projected(_ entity: Entity) -> Entity {
        var result = entity
        result.isAbstract = entity.isAbstract || governing[entity.name] == nil
        let own = derived[entity.name, default: []].map { attribute in
            var result = attribute
            // Rows of subentities with rules of their own do not have it.
            if governors(of: entity).contains(where: { $0.entity != entity.name }) { result.isOptional = true }
            return result
        }
        result.attributes = entity.attributes.compactMap { projected($0, of: entity) } + own
        result.relationships = entity.relationships.filter { isKept($0, of: entity) }
        let lineage = source.lineage(of: entity)
        let names = Set(
            lineage.flatMap { ancestor in
                ancestor.attributes.compactMap { projected($0, of: ancestor)?.name }
                    + ancestor.relationships.filter { isKept($0, of: ancestor) && !$0.isToMany }.map(\.name)
            })
        result.indices = (entity.indices + entity.uniqueness).filter { $0.allSatisfy(names.contains) }
        result.uniqueness = []
        result.identity = []
        return result
    }

    private func projected(_ attribute: Attribute, of entity: Entity) -> Attribute? {
        let governors = governors(of: entity)
        let selecting = governors.filter { $0.selects(attribute.name) }
        guard !selecting.isEmpty else { return nil }
        var result = attribute
        if selecting.count < governors.count { result.isOptional = true }
        return result
    }

    private func isKept(_ relationship: Relationship, of entity: Entity) -> Bool {
        guard let destination = source.entity(named: relationship.destination), isKept(destination), isKept(entity) else { return false }
        if governors(of: entity).contains(where: { $0.selects(relationship.name) }) { return true }
        guard let inverse = relationship.inverse else { return false }
        let owner = source.lineage(of: destination).first { $0.relationships.contains { $0.name == inverse } } ?? destination
        return governors(of: owner).contains { $0.selects(inverse) }
    }
}
