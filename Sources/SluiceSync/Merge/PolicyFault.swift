package import SluiceSchema

/// A policy that does not fit the schema.
package struct PolicyFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case noSuchEntity
        case noSuchField
        /// A to-many relationship is no field: each pair, or each child, is a record of its own.
        case toMany
        /// What a sum of floating point numbers is depends on their order, and two devices have two orders.
        case notCountable(AttributeType)
        /// Only what is coded as a whole can be a set.
        case noSet
        /// A reference is no value that two sides could make something of.
        case notAValue(ConflictPolicy)
        /// What makes a record what it is cannot be added up.
        case countsIdentity
        case onlyForFields(ConflictPolicy)
    }

    package let entity: String
    /// nil where the entity itself is the fault.
    package let field: String?
    package let problem: Problem

    /// To follow "found".
    package var found: String {
        switch problem {
        case .notCountable(let type): "`counter` for \(field ?? entity), which is \(type.rawValue)"
        case .noSet: "`union` for \(field ?? entity), which is no set"
        case .notAValue(let policy): "`\(policy.rawValue)` for \(field ?? entity), which is a relationship"
        case .countsIdentity: "`counter` for \(field ?? entity), which must be unique"
        case .onlyForFields(let policy): "`\(policy.rawValue)` for all of \(entity)"
        case .noSuchEntity, .noSuchField, .toMany: field.map { "property `\($0)`" } ?? "entity `\(entity)`"
        }
    }

    /// To follow "expected".
    package var expected: String {
        switch problem {
        case .notCountable: "a whole number: of others, a sum is not the same in every order"
        case .noSet: "a codable attribute that holds a list or a set"
        case .notAValue: "an attribute; of two references one stands"
        case .countsIdentity: "a number that is neither unique nor part of the record's identity"
        case .onlyForFields(let policy): "`\(policy.rawValue)` for single fields: it goes below `fields`"
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
            if relationship.isToMany { return fault(.toMany) }
            return policy == .counter || policy == .union ? fault(.notAValue(policy)) : nil
        }
        guard let attribute = schema.attributes(of: entity).first(where: { $0.name == field }) else { return fault(.noSuchField) }
        switch policy {
        case .latestEdit, .serverWins, .clientWins: return nil
        case .counter:
            guard attribute.type.isInteger else { return fault(.notCountable(attribute.type)) }
            let isUnique = (schema.uniqueness(of: entity) + [schema.identity(of: entity)]).contains { $0.contains(field) }
            return isUnique ? fault(.countsIdentity) : nil
        case .union: return attribute.mayHoldSet ? nil : fault(.noSet)
        }
    }

    /// The first policy that does not fit, by name.
    package func fault(in schema: Schema) -> PolicyFault? {
        for (name, policy) in entities.sorted(by: { $0.key < $1.key }) {
            guard let entity = schema.entity(named: name) else { return PolicyFault(entity: name, field: nil, problem: .noSuchEntity) }
            if let whole = policy.conflicts, !ConflictPolicy.ofEntities.contains(whole) {
                return PolicyFault(entity: name, field: nil, problem: .onlyForFields(whole))
            }
            for (field, fieldPolicy) in policy.fields.sorted(by: { $0.key < $1.key }) {
                if let fault = Self.fault(of: fieldPolicy, for: field, of: entity, in: schema) { return fault }
            }
            let attributes = Set(schema.attributes(of: entity).map(\.name))
            if let field = policy.functions.keys.sorted().first(where: { !attributes.contains($0) }) {
                return PolicyFault(entity: name, field: field, problem: .noSuchField)
            }
        }
        return nil
    }
}

extension Attribute {
    /// Whether it is coded as JSON, and its default, where it has one, is an array.
    fileprivate var mayHoldSet: Bool {
        guard type == .codable else { return false }
        guard case .data(let bytes)? = defaultValue else { return true }
        return bytes.first == UInt8(ascii: "[")
    }
}
