// A store to test migrations with: every type, the edges of its range, relationships filled from both sides, values unique where they have
// to be, large ones in their files. The same schema, number of rows and seed give the same rows with the same names on every machine.

import Foundation
import SluiceSQLite
package import SluiceSchema
import Synchronization

/// Makes a store with representative rows.
package struct FixtureStore {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let schema: Schema
    private let rowCount: Int
    private let options: Store.Options
    /// Record names of the rows that were made, by entity.
    private var names: [String: [RecordName]] = [:]

    /// - Parameter rowCount: rows of each entity that has rows.
    package init(_ schema: Schema, rowCount: Int, seed: UInt64 = 1) {
        self.schema = schema
        self.rowCount = rowCount
        var options = Store.Options(zone: schema.name)
        // The first second of 2026: what a store notes of its making is the same, too.
        options.now = { Date(timeIntervalSince1970: 1_767_225_600) }
        let random = Mutex(SeededRandom(seed: seed))
        options.random = RandomSource { random.withLock { $0.next() } }
        self.options = options
    }

    /// Makes the store at `path`, where nothing is yet, and reads all of it again.
    /// - Returns: how many rows each entity has.
    /// - Throws: `Failure` where the schema allows no rows; `StoreError` and `SQLiteError`.
    package mutating func make(at path: String) throws -> [String: Int] {
        let store = try Store(path: path, schema: schema, options: options)
        let order = try insertionOrder()
        try store.write {
            for entity in order { try insert(entity, into: store) }
            for entity in order { try relate(entity, in: store) }
        }
        let counts = try verify(store, order)
        // It is to be committed, or copied.
        try store.connection.becomeSingleFile()
        return counts
    }

    // MARK: Rows

    /// Entities with rows, each after those that its rows cannot do without.
    private func insertionOrder() throws -> [Entity] {
        var order: [Entity] = []
        var waiting = schema.entities.filter { !$0.isAbstract }
        while !waiting.isEmpty {
            let ready = waiting.filter { entity in
                requiredReferences(of: entity).allSatisfy { relationship in
                    !family(relationship.destination).contains { member in waiting.contains { $0.name == member.name } }
                }
            }
            guard !ready.isEmpty else {
                let names = waiting.map(\.name).joined(separator: ", ")
                throw Failure(
                    description: "no first row of \(names) can be made: each requires one of another of them. Make one reference optional")
            }
            order += ready
            waiting.removeAll { entity in ready.contains { $0.name == entity.name } }
        }
        return order
    }

    private func family(_ name: String) -> [Entity] {
        schema.entity(named: name).map { schema.family(of: $0).filter { !$0.isAbstract } } ?? []
    }

    private func requiredReferences(of entity: Entity) -> [Relationship] {
        schema.relationships(of: entity).filter { !$0.isToMany && !$0.isOptional }
    }

    /// Rows that a relationship may lead to.
    private func destinations(_ relationship: Relationship) -> [RecordName] {
        family(relationship.destination).flatMap { names[$0.name] ?? [] }
    }

    private mutating func insert(_ entity: Entity, into store: Store) throws {
        let distinct = distinctAttributes(of: entity)
        let attributes = schema.attributes(of: entity)
        let salt = entity.name.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
        // Rows of a hierarchy share unique values and names.
        let elders = schema.family(of: schema.root(of: entity)).filter { !$0.isAbstract }.prefix { $0.name != entity.name }
        let first = elders.count * rowCount
        for index in first..<first + rowCount {
            var edit = RowEdit()
            for attribute in attributes {
                edit.attributes[attribute.name] =
                    distinct.contains(attribute.name)
                    ? RepresentativeValues.distinctValue(index, of: attribute, salt: salt)
                    : RepresentativeValues.value(index, of: attribute)
            }
            for relationship in requiredReferences(of: entity) {
                let targets = destinations(relationship)
                guard let target = targets.isEmpty ? nil : targets[index % targets.count] else {
                    throw Failure(
                        description: "\(entity.name).\(relationship.name) requires a row of \(relationship.destination), which has none")
                }
                edit.references[relationship.name] = .some(target)
            }
            let (name, outcome) = try store.put(entity.name, edit)
            if outcome == .inserted { names[entity.name, default: []].append(name) }
        }
    }

    /// One attribute of each set that is unique, and all that make record names.
    private func distinctAttributes(of entity: Entity) -> Set<String> {
        let attributes = schema.attributes(of: entity)
        var distinct = Set(schema.identity(of: entity))
        // A constraint below counts for the rows above it, too: one index holds them all.
        let sets = schema.family(of: schema.root(of: entity)).flatMap(\.uniqueness) + schema.uniqueness(of: entity)
        for names in sets where distinct.isDisjoint(with: names) {
            let candidates = attributes.filter { names.contains($0.name) }
            if let best = candidates.first(where: { $0.type != .boolean }) ?? candidates.first { distinct.insert(best.name) }
        }
        return distinct
    }

    // MARK: Relationships

    private func relate(_ entity: Entity, in store: Store) throws {
        for relationship in schema.relationships(of: entity) where isOurs(relationship, of: entity) {
            let targets = destinations(relationship)
            guard !targets.isEmpty else { continue }
            for (index, name) in (names[entity.name] ?? []).enumerated() where index % 4 != 2 {
                var edit = RowEdit()
                if relationship.isToMany {
                    let most = relationship.maximumCount > 0 ? min(3, relationship.maximumCount) : 3
                    let members = (0..<min(most, targets.count)).map { targets[(index * 3 + $0) % targets.count] }
                    edit.collections[relationship.name] = members
                } else {
                    let isPair = schema.inverse(of: relationship)?.isToMany == false
                    guard !isPair || index < targets.count else { continue }
                    edit.references[relationship.name] = .some(targets[isPair ? index : (index * 7 + 1) % targets.count])
                }
                do { try store.put(entity.name, name: name, edit) } catch StoreError.uniqueConflict {
                    // References that have to differ from row to row are not to be had for all of them.
                    continue
                }
            }
        }
    }

    /// Whether a relationship is filled from this end: its other end follows.
    private func isOurs(_ relationship: Relationship, of entity: Entity) -> Bool {
        if !relationship.isToMany, !relationship.isOptional { return false }
        guard let inverse = schema.inverse(of: relationship) else { return true }
        if !inverse.isToMany, !inverse.isOptional { return false }
        // The end that keeps an order says which; else the one that holds the column, else the one that sorts first.
        if relationship.isToMany != inverse.isToMany { return relationship.isToMany ? relationship.isOrdered : !inverse.isOrdered }
        if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
        let other = schema.entity(named: relationship.destination).map { owner(of: inverse, $0) } ?? relationship.destination
        return (owner(of: relationship, entity), relationship.name) <= (other, inverse.name)
    }

    /// The entity that declares it.
    private func owner(of relationship: Relationship, _ entity: Entity) -> String {
        schema.lineage(of: entity).first { $0.relationships.contains(relationship) }?.name ?? entity.name
    }

    // MARK: Reading it again

    private func verify(_ store: Store, _ order: [Entity]) throws -> [String: Int] {
        let faults = try store.connection.integrityFaults()
        guard faults.isEmpty, try store.connection.value("SELECT 1 FROM pragma_foreign_key_check") == nil else {
            throw StoreError.damaged(path: store.path, faults: faults)
        }
        var counts: [String: Int] = [:]
        for entity in order {
            for name in names[entity.name] ?? [] {
                guard let row = try store.storedRow(named: name) else { throw StoreError.noSuchRecord(name) }
                let required = schema.attributes(of: entity).filter { !$0.isOptional }
                if let attribute = required.first(where: { row.attributes[$0.name] ?? .null == .null }) {
                    throw StoreError.missingValue(property: attribute.name, entity: entity.name)
                }
            }
            let (found, made) = (try store.exactCount(of: store.concreteEntity(entity.name)), names[entity.name]?.count ?? 0)
            guard found == made else { throw Failure(description: "\(entity.name) has \(found) rows, where \(made) were made") }
            counts[entity.name] = found
        }
        return counts
    }
}
