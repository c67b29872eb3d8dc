package import SluiceSchema

/// A policy that does not fit the schema.
package struct PolicyFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case noSuchEntity
        case noSuchField
        /// A to-many relationship is no field: each pair, or each child, is a record of its own.
        case toMany
    }

    package let entity: String
    /// nil where the entity itself is the fault.
    package let field: String?
    package let problem: Problem

    /// To follow "found".
    package var found: String { field.map { "property `\($0)`" } ?? "entity `\(entity)`" }

    /// To follow "expected".
    package var expected: String {
        switch problem {
        case .noSuchEntity: "an entity of the schema"
        case .noSuchField: "one of entity \(entity)"
        case .toMany: "a property with a value of its own: members of a to-many relationship are records, and are never in conflict with each other"
        }
    }

    package var description: String { "conflict policy of \(entity)\(field.map { ".\($0)" } ?? ""): found \(found); expected \(expected)" }
}

extension MergePolicies {
    /// Why a field cannot have that policy; nil where it can.
    package static func fault(of policy: ConflictPolicy, for field: String, of entity: Entity, in schema: Schema) -> PolicyFault? {
        func fault(_ problem: PolicyFault.Problem) -> PolicyFault { PolicyFault(entity: entity.name, field: field, problem: problem) }
        if let relationship = schema.relationships(of: entity).first(where: { $0.name == field }) {
            return relationship.isToMany ? fault(.toMany) : nil
        }
        return schema.attributes(of: entity).contains { $0.name == field } ? nil : fault(.noSuchField)
    }

    /// The first policy that does not fit, by name.
    package func fault(in schema: Schema) -> PolicyFault? {
        for (name, policy) in entities.sorted(by: { $0.key < $1.key }) {
            guard let entity = schema.entity(named: name) else { return PolicyFault(entity: name, field: nil, problem: .noSuchEntity) }
            for (field, fieldPolicy) in policy.fields.sorted(by: { $0.key < $1.key }) {
                if let fault = Self.fault(of: fieldPolicy, for: field, of: entity, in: schema) { return fault }
            }
        }
        return nil
    }
}
