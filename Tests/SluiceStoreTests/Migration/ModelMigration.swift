import Foundation
import SluiceSchema

/// A store as plain values in memory, and how each kind of change of its schema changes them. Knows nothing of tables, pairings or plans:
/// what it says is what the rules say.
struct ModelMigration {
    struct Property {
        var name: String
        var type: AttributeType
        var isOptional: Bool
        var defaultValue: PropertyValue?
        var hint: String?
        var isNew = true
    }

    struct Kind {
        var name: String
        var parent: String?
        var attributes: [Property] = []
        var index: String?
        var hint: String?
        var isNew = true
    }

    struct Link {
        var owner: String
        var name: String
        var destination: String
        var isToMany: Bool
        var isOrdered = false
        /// The relationship at the other end.
        var inverse: String?
        var isInverseToMany = false
        var hint: String?
        var isNew = true
        /// Owner and member.
        var pairs: [Pair] = []

        struct Pair: Hashable {
            var owner: String
            var member: String
        }

        /// Whether a member can have several owners.
        var sharesMembers: Bool { inverse == nil ? !isToMany : isInverseToMany }
    }

    struct Row {
        var entity: String
        var values: [String: PropertyValue]
    }

    var kinds: [Kind] = []
    var links: [Link] = []
    var rows: [String: Row] = [:]
    private var counter = 0

    mutating func freshName(_ stem: String) -> String {
        counter += 1
        return "\(stem)\(counter)"
    }

    // MARK: As a schema

    var entities: [Entity] {
        kinds.map { kind in
            let own = links.filter { $0.owner == kind.name }.map { link in
                Relationship(
                    link.name, to: link.destination, isToMany: link.isToMany, isOrdered: link.isOrdered, inverse: link.inverse,
                    wireName: link.hint)
            }
            let inverses = links.filter { $0.destination == kind.name }.compactMap { link in
                link.inverse.map { Relationship($0, to: link.owner, isToMany: link.isInverseToMany, inverse: link.name) }
            }
            return Entity(
                kind.name, wireName: kind.hint, superentity: kind.parent,
                attributes: kind.attributes.map {
                    Attribute($0.name, $0.type, isOptional: $0.isOptional, defaultValue: $0.defaultValue, wireName: $0.hint)
                },
                relationships: own + inverses, indices: kind.index.map { [[$0]] } ?? [])
        }
    }

    /// Everything that a step may drop.
    var names: Set<String> {
        Set(kinds.map(\.name) + entities.flatMap { entity in entity.properties.map { "\(entity.name).\($0.name)" } })
    }

    func lineage(_ entity: String) -> [Kind] {
        guard let kind = kinds.first(where: { $0.name == entity }) else { return [] }
        return [kind] + (kind.parent.map(lineage) ?? [])
    }

    func isOf(_ entity: String, _ row: Row) -> Bool { lineage(row.entity).contains { $0.name == entity } }

    // MARK: As rows

    /// Rows by name: entity, values, and members by relationship, in order where there is one.
    struct Dump: Equatable {
        var entity: String
        var values: [String: PropertyValue]
        var members: [String: [String]]
    }

    var dump: [String: Dump] {
        var dump = rows.mapValues { row in
            Dump(entity: row.entity, values: row.values, members: [:])
        }
        for (name, row) in rows {
            for link in links {
                if isOf(link.owner, row) {
                    let members = link.pairs.filter { $0.owner == name }.map(\.member)
                    dump[name]?.members[link.name] = link.isOrdered ? members : members.sorted()
                }
                if let inverse = link.inverse, isOf(link.destination, row) {
                    dump[name]?.members[inverse] = link.pairs.filter { $0.member == name }.map(\.owner).sorted()
                }
            }
        }
        return dump
    }

    mutating func remove(_ gone: Set<String>) {
        for name in gone { rows[name] = nil }
        for index in links.indices { links[index].pairs.removeAll { gone.contains($0.owner) || gone.contains($0.member) } }
    }

    /// A step is done: nothing is new and no hint is needed any more.
    mutating func settle() {
        for index in kinds.indices {
            kinds[index].hint = nil
            kinds[index].isNew = false
            for place in kinds[index].attributes.indices {
                kinds[index].attributes[place].hint = nil
                kinds[index].attributes[place].isNew = false
            }
        }
        for index in links.indices {
            links[index].hint = nil
            links[index].isNew = false
        }
    }
}
