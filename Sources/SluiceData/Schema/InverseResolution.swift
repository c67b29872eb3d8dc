/// Finds the other end of each relationship.
///
/// What is declared on either side counts. Otherwise two relationships belong together where each is the only one that can be the other's
/// end; within one class only a to-one and a to-many, since `mother` and `father` point at the same class and mean different things.
struct InverseResolution {
    private struct End {
        let entity: Schema.Entity
        let relationship: Schema.Relationship
        var label: String { "\(entity.name).\(relationship.name)" }
    }

    private let byName: [String: Schema.Entity]
    private let ends: [End]
    /// The end at which each end's inverse was found, by position.
    private var inverses: [Int: Int] = [:]

    static func resolve(_ entities: [Schema.Entity], byName: [String: Schema.Entity], faults: inout [ModelFault]) {
        let ends = entities.flatMap { entity in
            entity.storedProperties.compactMap { $0 as? Schema.Relationship }.map { End(entity: entity, relationship: $0) }
        }
        var resolution = InverseResolution(byName: byName, ends: ends)
        resolution.takeDeclared(&faults)
        resolution.infer()
        for (position, inverse) in resolution.inverses { ends[position].relationship.inverseName = ends[inverse].relationship.name }
    }

    private init(byName: [String: Schema.Entity], ends: [End]) {
        self.byName = byName
        self.ends = ends
    }

    // MARK: Declared

    private mutating func takeDeclared(_ faults: inout [ModelFault]) {
        for (position, end) in ends.enumerated() {
            guard byName[end.relationship.destination] != nil else {
                faults.append(
                    .unknownDestination(end.relationship.destination, relationship: end.relationship.name, entity: end.entity.name))
                continue
            }
            do throws(Refusal) {
                guard let inverse = try declaredInverse(of: end) else { continue }
                try pair(position, inverse)
            } catch { faults.append(error.fault) }
        }
    }

    private struct Refusal: Error { let fault: ModelFault }

    /// The position of the end that `end` names; nil where it names none.
    private func declaredInverse(of end: End) throws(Refusal) -> Int? {
        let relationship = end.relationship
        guard let name = try declaredName(of: end), let destination = byName[relationship.destination] else { return nil }
        let owners = [destination] + EntityAssembly.ancestors(of: destination)
        guard let found = ends.firstIndex(where: { other in other.relationship.name == name && owners.contains { $0 === other.entity } })
        else {
            throw Refusal(
                fault: .inverseIsNoRelationship(
                    name, relationship: relationship.name, entity: end.entity.name, destination: destination.name))
        }
        let back = ends[found].relationship.destination
        guard let target = byName[back], isRelated(end.entity, target) else {
            throw Refusal(
                fault: .inverseLeadsElsewhere(
                    name, relationship: relationship.name, entity: end.entity.name, destination: destination.name, found: back))
        }
        return found
    }

    private func declaredName(of end: End) throws(Refusal) -> String? {
        let relationship = end.relationship
        guard let keyPath = relationship.inverseKeyPath else { return relationship.inverseName }
        let owners = byName[relationship.destination].map { [$0] + EntityAssembly.ancestors(of: $0) } ?? []
        if let root = type(of: keyPath).rootType as? any PersistentModel.Type {
            let shape = ModelShape.of(root)
            if owners.contains(where: { $0.name == shape.entityName }) {
                guard let property = shape.property(for: keyPath) else {
                    throw Refusal(
                        fault: .inverseIsNoRelationship(
                            "\(keyPath)", relationship: relationship.name, entity: end.entity.name, destination: relationship.destination))
                }
                return property.name
            }
        }
        throw Refusal(
            fault: .inverseOfAnotherModel(
                "\(keyPath)", relationship: relationship.name, entity: end.entity.name, destination: relationship.destination))
    }

    private mutating func pair(_ position: Int, _ inverse: Int) throws(Refusal) {
        let (end, other) = (ends[position], ends[inverse])
        if inverses[position] == inverse, inverses[inverse] == position { return }
        if let taken = inverses[inverse], taken != position {
            throw Refusal(
                fault: .inverseTaken(
                    other.relationship.name, relationship: end.relationship.name, entity: end.entity.name, destination: other.entity.name,
                    by: ends[taken].label))
        }
        if other.relationship.isOneWay || inverses[position] != nil {
            throw Refusal(
                fault: .inverseDisagrees(
                    other.relationship.name, relationship: end.relationship.name, entity: end.entity.name, destination: other.entity.name))
        }
        inverses[position] = inverse
        inverses[inverse] = position
    }

    // MARK: Inferred

    private mutating func infer() {
        let open = ends.indices.filter { inverses[$0] == nil && !Self.isSettled(ends[$0].relationship) }
        let candidates = Dictionary(uniqueKeysWithValues: open.map { one in (one, open.filter { canPair(one, $0) }) })
        for position in open {
            guard let others = candidates[position], others.count == 1, candidates[others[0]] == [position] else { continue }
            inverses[position] = others[0]
        }
    }

    /// Declared, whether or not the declaration was sound.
    private static func isSettled(_ relationship: Schema.Relationship) -> Bool {
        relationship.isOneWay || relationship.inverseKeyPath != nil || relationship.inverseName != nil
    }

    private func canPair(_ position: Int, _ candidate: Int) -> Bool {
        let (end, other) = (ends[position], ends[candidate])
        guard position != candidate, leads(end, to: other.entity), leads(other, to: end.entity) else { return false }
        return end.entity !== other.entity || end.relationship.isToOneRelationship != other.relationship.isToOneRelationship
    }

    /// Whether the relationship's destination has what `owner` declares.
    private func leads(_ end: End, to owner: Schema.Entity) -> Bool {
        byName[end.relationship.destination].map { $0 === owner || EntityAssembly.ancestors(of: $0).contains { $0 === owner } } ?? false
    }

    private func isRelated(_ left: Schema.Entity, _ right: Schema.Entity) -> Bool {
        left === right || EntityAssembly.ancestors(of: left).contains { $0 === right }
            || EntityAssembly.ancestors(of: right).contains { $0 === left }
    }
}
