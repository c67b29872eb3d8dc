import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// Random schemas, random rows, random changes of the schema: the store must end up as the rows in memory do.
@Suite struct RandomMigrationTests {
    @Test(arguments: 0..<40)
    func `a store migrates as its rows in memory do`(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        var model = ModelMigration()
        for _ in 0..<30 { model.edit(using: &random) }
        model.settle()
        model.fill(using: &random)
        let fixture = try MigrationFixture()
        try model.write(to: fixture)
        var history: [String] = []
        for step in 0..<4 {
            let names = model.names
            for _ in 0..<Int.random(in: 1...5, using: &random) { model.edit(using: &random) }
            let log = try fixture.rows("SELECT count(*), max(seq) FROM _sluice_change WHERE origin <> 3")
            let wanted = try Schema(name: "test", version: SchemaVersion(step + 2, 0, 0), validating: model.entities)
            let change = try SchemaChange(
                from: #require(try Store.schema(at: fixture.path)), to: wanted, kind: .lightweight(discarding: names))
            history += ["step \(step):"] + change.lines
            do {
                try StoreMigration(path: fixture.path, options: fixture.options).run { try $0.advance(by: change) }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(history.joined(separator: "\n"))")
                return
            }
            model.settle()
            let (found, expected) = (try fixture.open { try $0.dump() }, model.dump)
            let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
            #expect(
                wrong.isEmpty,
                """
                seed \(seed): \(wrong.map { "\($0): \(String(describing: found[$0])) instead of \(String(describing: expected[$0]))" })
                \(history.joined(separator: "\n"))
                """
            )
            try fixture.checkSoundness()
            // What waits to be sent are the rows that are left, and nothing is new in the log.
            #expect(try fixture.waitingRows() == Set(model.rows.keys), "seed \(seed)")
            let now = try fixture.rows("SELECT count(*), max(seq) FROM _sluice_change WHERE origin <> 3")
            #expect(now[0][1] == log[0][1], "seed \(seed)")
            guard wrong.isEmpty else { return }
        }
    }
}

extension ModelMigration {
    mutating func fill(using random: inout SplitMix) {
        for kind in kinds {
            for index in 0..<Int.random(in: 0...6, using: &random) {
                var values: [String: PropertyValue] = [:]
                for attribute in lineage(kind.name).flatMap(\.attributes) {
                    let isNull = attribute.isOptional && Bool.random(using: &random)
                    values[attribute.name] = isNull ? .null : .random(attribute.type, using: &random)
                }
                rows["\(kind.name)-\(index)"] = Row(entity: kind.name, values: values)
            }
        }
        for place in links.indices {
            let link = links[place]
            let owners = rows.filter { isOf(link.owner, $0.value) }.keys.sorted()
            var members = rows.filter { isOf(link.destination, $0.value) }.keys.sorted()
            for owner in owners {
                let count = link.isToMany ? Int.random(in: 0...3, using: &random) : Int.random(in: 0...1, using: &random)
                let chosen = members.shuffled(using: &random).prefix(count)
                links[place].pairs += chosen.map { Link.Pair(owner: owner, member: $0) }
                if !link.sharesMembers { members.removeAll(where: chosen.contains) }
            }
        }
    }

    func write(to fixture: MigrationFixture) throws {
        try fixture.open(entities) { store in
            try store.write {
                for (name, row) in rows.sorted(by: { $0.key < $1.key }) {
                    try store.put(row.entity, name: RecordName(name), RowEdit(attributes: row.values))
                }
                for link in links {
                    for (owner, pairs) in Dictionary(grouping: link.pairs, by: \.owner).sorted(by: { $0.key < $1.key }) {
                        guard let entity = rows[owner]?.entity else { continue }
                        let names = pairs.map { RecordName($0.member) }
                        let edit = link.isToMany ? RowEdit(collections: [link.name: names]) : RowEdit(references: [link.name: names.first])
                        try store.put(entity, name: RecordName(owner), edit)
                    }
                }
            }
            try store.drainChanges()
        }
    }
}

extension Store {
    /// Every row with its values and members, as the model shows them.
    func dump() throws -> [String: ModelMigration.Dump] {
        var dump: [String: ModelMigration.Dump] = [:]
        for root in layout.schema.roots {
            guard let entity = layout.entities[root.name] else { continue }
            try forEachRow(of: entity) { row in
                dump[row.name.text] = ModelMigration.Dump(
                    entity: row.entity, values: row.attributes.filter { !$0.key.hasPrefix("_") }, members: [:])
            }
        }
        for (name, row) in dump {
            guard let entity = layout.entities[row.entity], let key = try self.row(named: RecordName(name)) else { continue }
            for link in entity.links {
                let members = try related(to: key, over: link).compactMap { try self.name(of: $0)?.text }
                dump[name]?.members[link.relationship.name] = link.relationship.isOrdered ? members : members.sorted()
            }
        }
        return dump
    }
}

extension MigrationFixture {
    /// Names of the rows that wait to be sent, pairs of many-to-many relationships left out.
    func waitingRows() throws -> Set<String> {
        try open { store in
            try store.drainChanges()
            let joins = Set(store.layout.tables.indices.filter { table in store.layout.entities(in: table).contains(where: \.isJoin) })
            return try Set(store.pendingChanges(limit: 10_000, at: .max).filter { $0.row.map { !joins.contains($0.table) } ?? true }.map(\.name.text))
        }
    }
}
