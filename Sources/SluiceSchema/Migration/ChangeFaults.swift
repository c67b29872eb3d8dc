// What two schemas alone say against a step. Some faults last whatever the kind of the stage; the others are what a custom stage is there
// for.

/// Looks for faults of a step. `match` pairs the held schema with the wanted one as it was declared: only there does a wire name that
/// differs from the name mean that somebody gave a hint.
struct ChangeFaults {
    let match: SchemaMatch

    private struct Place: Hashable {
        let entity: String
        let property: String
    }

    /// Faults of every kind of stage.
    var lasting: [MigrationFault] {
        match.pairs.compactMap { pair in
            let before = match.from.identity(of: pair.from)
            let after = match.to.identity(of: pair.to)
            let moved = before.map { match.destination(of: $0, in: pair.to.name)?.name }
            let keepsNames = moved == after.map(Optional.some) && after.allSatisfy { keepsName($0, of: pair) }
            return keepsNames ? nil : .identityChanged(entity: pair.to.name, from: before, to: after)
        }
    }

    /// Record names are made from the form in which a value is stored.
    private func keepsName(_ property: String, of pair: (from: Entity, to: Entity)) -> Bool {
        guard let before = match.source(of: property, in: pair.to.name)?.attribute,
            let after = match.to.attributes(of: pair.to).first(where: { $0.name == property })
        else { return false }
        return TypeChange(from: before.type, to: after.type).keepsStoredForm
    }

    /// Faults of a stage without code.
    func found(discarding: Set<String>, supplying: Set<String>) -> [MigrationFault] {
        var ambiguous: Set<Place> = []
        var faults = renames(discarding: discarding, &ambiguous)
        faults += unfilled.filter {
            !ambiguous.contains(Place(entity: $0.entity, property: $0.property)) && !supplying.contains("\($0.entity).\($0.property)")
        }.map(\.fault)
        faults += narrowed
        return faults + entityRenames(discarding: discarding) + splits(discarding: discarding) + merges(discarding: discarding)
    }

    /// Properties that rows may lack in the end, though they are required.
    var toBeFilled: [(entity: String, property: String)] {
        unfilled.map { ($0.entity, $0.property) }
            + narrowed.compactMap { fault -> (String, String)? in
                guard case .narrowed(let entity, let property, _, _, _) = fault, let declared = match.to.entity(named: entity) else {
                    return nil
                }
                return declared.properties.contains { $0.name == property && $0.isRequired } ? (entity, property) : nil
            }
    }

    // MARK: Values

    /// Pairs whose old entity has rows.
    private var pairsWithRows: [(from: Entity, to: Entity)] { match.pairs.filter { !$0.from.isAbstract } }

    private var unfilled: [(entity: String, property: String, fault: MigrationFault)] {
        collect { pair, property, place in
            guard property.isRequired, property.attribute?.defaultValue ?? .null == .null else { return nil }
            let source = match.source(of: property.name, in: pair.to.name)
            if let source, source.isRequired || (source.attribute == nil) != (property.attribute == nil) { return nil }
            return .requiredWithoutDefault(entity: place.entity, property: place.property, shape: property.shape, rows: nil)
        }
    }

    private var narrowed: [MigrationFault] {
        collect { pair, property, place in
            guard let source = match.source(of: property.name, in: pair.to.name), !Self.isWidening(source, property, match) else {
                return nil
            }
            return .narrowed(entity: place.entity, property: place.property, from: source.shape, to: property.shape, rows: nil)
        }.map(\.fault)
    }

    /// Whether every value of the old property is one of the new.
    static func isWidening(_ old: SchemaProperty, _ new: SchemaProperty, _ match: SchemaMatch) -> Bool {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): TypeChange(from: old.type, to: new.type).isWidening
        case (.relationship(let old), .relationship(let new)): match.carries(old, to: new)
        default: false
        }
    }

    /// What `fault` finds in the properties of pairs with rows, each property once, where it is declared.
    private func collect(
        _ fault: (_ pair: (from: Entity, to: Entity), _ property: SchemaProperty, _ place: Place) -> MigrationFault?
    ) -> [(entity: String, property: String, fault: MigrationFault)] {
        var seen: Set<Place> = []
        var found: [(entity: String, property: String, fault: MigrationFault)] = []
        for pair in pairsWithRows {
            for property in match.to.properties(of: pair.to) {
                let place = Place(entity: declaring(property.name, pair.to, match.to), property: property.name)
                guard !seen.contains(place), let fault = fault(pair, property, place) else { continue }
                seen.insert(place)
                found.append((place.entity, place.property, fault))
            }
        }
        return found
    }

    private func declaring(_ property: String, _ entity: Entity, _ schema: Schema) -> String {
        schema.lineage(of: entity).first { $0.properties.contains { $0.name == property } }?.name ?? entity.name
    }

    // MARK: Renames

    private func renames(discarding: Set<String>, _ ambiguous: inout Set<Place>) -> [MigrationFault] {
        var faults: [MigrationFault] = []
        for pair in match.pairs {
            let coming = match.cameProperties(of: pair).filter { $0.wireName == $0.name }
            for gone in match.goneProperties(of: pair) {
                let owner = declaring(gone.name, pair.from, match.from)
                guard [owner, pair.from.name, pair.to.name].allSatisfy({ !discarding.contains("\($0).\(gone.name)") }) else { continue }
                let same = coming.filter { isAlike(gone, $0) }
                guard !same.isEmpty else { continue }
                for property in same {
                    ambiguous.insert(Place(entity: declaring(property.name, pair.to, match.to), property: property.name))
                }
                let fault = MigrationFault.ambiguousRename(
                    entity: match.destination(of: owner)?.name ?? pair.to.name, gone: gone.name, came: same.map(\.name), shape: gone.shape)
                if !faults.contains(fault) { faults.append(fault) }
            }
        }
        return faults
    }

    private func isAlike(_ old: SchemaProperty, _ new: SchemaProperty) -> Bool {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): old.type == new.type
        case (.relationship(let old), .relationship(let new)): match.carries(old, to: new)
        default: false
        }
    }

    private func entityRenames(discarding: Set<String>) -> [MigrationFault] {
        match.gone.filter { !discarding.contains($0.name) }.compactMap { gone in
            let shape = signature(gone, match.from)
            let same = match.came.filter { $0.wireName == $0.name && signature($0, match.to) == shape }
            guard !shape.isEmpty, !same.isEmpty else { return nil }
            return .ambiguousRename(entity: nil, gone: gone.name, came: same.map(\.name), shape: shape.sorted().joined(separator: ", "))
        }
    }

    private func signature(_ entity: Entity, _ schema: Schema) -> Set<String> {
        Set(
            schema.properties(of: entity).map {
                "\($0.name): \($0.attribute?.type.rawValue ?? ($0.relationship?.isToMany == true ? "to-many" : "to-one"))"
            })
    }

    // MARK: Splits and merges

    /// An attribute that goes from an entity while a new entity has it under the same name, or an entity whose attributes are shared out.
    private func splits(discarding: Set<String>) -> [MigrationFault] {
        let parts = match.pairs.compactMap { pair -> MigrationFault? in
            let gone = match.goneProperties(of: pair).filter { $0.attribute != nil && !discarding.contains("\(pair.from.name).\($0.name)") }
            let takers = match.came.filter { came in gone.contains { holds($0, came, match.to) } }
            return takers.isEmpty ? nil : .tableSplitOrMerged(gone: [pair.from.name], came: [pair.to.name] + takers.map(\.name))
        }
        let wholes = match.gone.filter { !discarding.contains($0.name) }.compactMap { gone -> MigrationFault? in
            let takers = cover(of: gone, match.from, by: match.came, match.to)
            return takers.map { .tableSplitOrMerged(gone: [gone.name], came: $0) }
        }
        return parts + wholes
    }

    private func merges(discarding: Set<String>) -> [MigrationFault] {
        let leaving = match.gone.filter { !discarding.contains($0.name) }
        let parts = match.pairs.compactMap { pair -> MigrationFault? in
            let came = match.cameProperties(of: pair).filter { $0.attribute != nil && $0.wireName == $0.name }
            let givers = leaving.filter { gone in came.contains { holds($0, gone, match.from) } }
            return givers.isEmpty ? nil : .tableSplitOrMerged(gone: [pair.from.name] + givers.map(\.name), came: [pair.to.name])
        }
        let wholes = match.came.compactMap { came -> MigrationFault? in
            cover(of: came, match.to, by: leaving, match.from).map { .tableSplitOrMerged(gone: $0, came: [came.name]) }
        }
        return parts + wholes
    }

    private func holds(_ property: SchemaProperty, _ entity: Entity, _ schema: Schema) -> Bool {
        schema.attributes(of: entity).contains { $0.name == property.name && $0.type == property.attribute?.type }
    }

    /// The entities that together have every attribute of one, where none of them has all; nil where they do not.
    private func cover(of entity: Entity, _ schema: Schema, by others: [Entity], _ otherSchema: Schema) -> [String]? {
        let attributes = schema.attributes(of: entity).map(SchemaProperty.attribute)
        let parts = others.filter { other in attributes.contains { holds($0, other, otherSchema) } }
        guard parts.count > 1, attributes.allSatisfy({ attribute in parts.contains { holds(attribute, $0, otherSchema) } }),
            !parts.contains(where: { part in attributes.allSatisfy { holds($0, part, otherSchema) } })
        else { return nil }
        return parts.map(\.name)
    }
}

extension SchemaProperty {
    /// Whether every row must have a value. A to-many may always be empty.
    var isRequired: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isOptional
        case .relationship(let relationship): !relationship.isToMany && !relationship.isOptional
        }
    }
}
