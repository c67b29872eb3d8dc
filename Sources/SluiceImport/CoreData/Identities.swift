import SluiceSQLite
import SluiceSchema

/// Which attributes name the records of a file. The rule stands in LegacyNames.
struct Identities {
    struct Choice {
        /// The entity that declares the constraint, or that the mapping names; its subentities share the identity.
        let entity: String
        let attribute: FileLayout.Key
    }

    private(set) var chosen: [Choice] = []
    private(set) var refused: [(choice: Choice, reason: IdentityRefusal)] = []

    /// - Parameter mapping: attribute by entity, as the person who imports wrote it: as the imported schema calls them, or the model; it counts before
    ///   the model's constraints.
    /// - Throws: `ImportError.unusableIdentity` where the mapping's attribute cannot name records.
    init(
        _ model: ManagedModel, _ layout: FileLayout, _ names: SchemaNames, mapping: [String: String], survey: Survey,
        _ uniqueness: UniquenessSurvey
    ) throws {
        for (entity, attribute) in mapping.sorted(by: { $0.key < $1.key }) {
            let choice = try Self.mapped(entity, attribute, model, names)
            if let reason = try Self.refusal(choice, model, layout, survey, uniqueness) {
                throw ImportError.unusableIdentity(entity: entity, attribute: attribute, reason: reason)
            }
            chosen.append(choice)
        }
        for entity in model.entities.sorted(by: { model.lineage(of: $0.name).count < model.lineage(of: $1.name).count }) {
            let family = (model.lineage(of: entity.name) + model.family(of: entity.name)).map(\.name)
            guard !chosen.contains(where: { family.contains($0.entity) }),
                let choice = Self.declared(by: entity, model)
            else { continue }
            if let reason = try Self.refusal(choice, model, layout, survey, uniqueness) {
                refused.append((choice, reason))
            } else {
                chosen.append(choice)
            }
        }
    }

    private static func mapped(_ entity: String, _ attribute: String, _ model: ManagedModel, _ names: SchemaNames) throws -> Choice {
        func refuse(_ reason: IdentityRefusal) -> ImportError { .unusableIdentity(entity: entity, attribute: attribute, reason: reason) }
        let original = names.entities.first { $0.value == entity }?.key ?? entity
        guard model.entity(named: original) != nil else { throw refuse(.noSuchEntity) }
        for owner in model.lineage(of: original) {
            let leaves = owner.attributes.flatMap { $0.leaves() }
            guard
                let found = leaves.first(where: { names[.init(entity: owner.name, path: $0.path)] == attribute })
                    ?? leaves.first(where: { $0.path == attribute })
            else { continue }
            guard found.leaf.typeCode == uuidTypeCode else { throw refuse(.notUUID) }
            return Choice(entity: original, attribute: .init(entity: owner.name, path: found.path))
        }
        throw refuse(.noSuchAttribute)
    }

    /// A required UUID that is unique by itself.
    private static func declared(by entity: ManagedEntity, _ model: ManagedModel) -> Choice? {
        for name in entity.uniqueTuples.filter({ $0.count == 1 }).compactMap(\.first).sorted() {
            for owner in model.lineage(of: entity.name) {
                guard let attribute = owner.attributes.first(where: { $0.name == name }) else { continue }
                if attribute.typeCode == uuidTypeCode, !attribute.isOptional {
                    return Choice(entity: entity.name, attribute: .init(entity: owner.name, path: name))
                }
            }
        }
        return nil
    }

    private static func refusal(
        _ choice: Choice, _ model: ManagedModel, _ layout: FileLayout, _ survey: Survey, _ uniqueness: UniquenessSurvey
    ) throws -> IdentityRefusal? {
        // An entity of another file of the set has no rows here that could speak against it.
        guard let table = layout.table(of: choice.entity, in: model) else { return nil }
        guard let column = layout.attributes[choice.attribute] else { return .noSuchAttribute }
        let numbers = model.family(of: choice.entity).compactMap { layout.numbers[$0.name] }
        return try uniqueness.claim(column, in: table.name, entities: numbers, for: choice.entity)
    }

    private static let uuidTypeCode = 1100
}
