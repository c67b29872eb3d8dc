package import SluiceSchema

/// A value that a legacy store has taken apart into columns: a Codable struct, or an enumeration with payloads.
package struct LegacyComposite: Hashable, Sendable {
    package indirect enum Node: Hashable, Sendable {
        /// An attribute of the imported schema.
        case leaf(attribute: String, type: AttributeType)
        /// Members in order; of an enumeration its cases.
        case members([Member], isEnumeration: Bool)
    }

    package struct Member: Hashable, Sendable {
        package let name: String
        package let node: Node
    }

    /// The entity that declares it, in the imported schema.
    package let entity: String
    /// What its members' names begin with; one attribute of this name takes their place where they are put together.
    package let name: String
    package let isOptional: Bool
    package let node: Node

    /// The attributes that its members lie in.
    package var attributes: [String] { Self.attributes(of: node) }

    private static func attributes(of node: Node) -> [String] {
        switch node {
        case .leaf(let attribute, _): [attribute]
        case .members(let members, _): members.flatMap { attributes(of: $0.node) }
        }
    }
}

extension LegacyComposite {
    /// The composites of a model, under the names of its imported schema. Members without a place in the file are left out.
    static func all(in model: ManagedModel, _ schema: Schema, _ names: SchemaNames) -> [LegacyComposite] {
        model.entities.flatMap { entity -> [LegacyComposite] in
            guard let name = names.entities[entity.name], let declared = schema.entity(named: name) else { return [] }
            return entity.attributes.filter { !$0.elements.isEmpty }.compactMap { attribute in
                let trimmed = String(attribute.name.drop { $0 == "_" })
                guard let node = node(attribute, entity.name, path: attribute.name, declared, names), !trimmed.isEmpty else { return nil }
                return LegacyComposite(entity: name, name: trimmed, isOptional: attribute.isOptional, node: node)
            }
        }
    }

    private static func node(
        _ attribute: ManagedAttribute, _ entity: String, path: String, _ declared: Entity, _ names: SchemaNames
    ) -> Node? {
        if attribute.elements.isEmpty {
            let name = names[.init(entity: entity, path: path)]
            return declared.attributes.first { $0.name == name }.map { .leaf(attribute: name, type: $0.type) }
        }
        let members = attribute.elements.compactMap { element in
            node(element, entity, path: "\(path).\(element.name)", declared, names).map { Member(name: element.name, node: $0) }
        }
        return members.isEmpty ? nil : .members(members, isEnumeration: attribute.enumType != nil)
    }
}
