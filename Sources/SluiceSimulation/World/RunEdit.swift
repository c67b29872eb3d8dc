import Foundation
package import SluiceSchema
import SluiceSQLite
package import SluiceStore

/// One edit that a person, an import or another program makes on a device.
package enum RunEdit {
    case put(String, RecordName?, RowEdit, ChangeOrigin)
    case delete(RecordName)
    /// What somebody types into the sqlite3 shell.
    case sql(String)
    /// A deletion and an insertion under the same name, in one transaction.
    case renew(String, RecordName, RowEdit)

    /// Draws an edit that fits what the store holds.
    /// - Parameter step: makes the values of an edit different from those of all others.
    package static func random(_ store: Store, _ random: SeededRandom, step: Int) -> RunEdit {
        var source = EditSource(store: store, random: random, step: step)
        return source.next()
    }

    /// - Throws: `StoreError` where a rule of the schema forbids it.
    package func carryOut(on store: Store) throws {
        switch self {
        case .put(let entity, let name, let edit, let origin): try store.write(origin) { _ = try store.put(entity, name: name, edit) }
        case .delete(let name): try store.write { _ = try store.delete(name) }
        case .sql(let text): try store.connection.execute(text)
        case .renew(let entity, let name, let edit):
            try store.write {
                try store.delete(name)
                try store.put(entity, name: name, edit)
            }
        }
    }
}

extension RunEdit: CustomStringConvertible {
    /// The same for the same edit, unlike a dictionary's own description.
    package var description: String {
        switch self {
        case .put(let entity, let name, let edit, let origin): "puts \(origin) \(entity) \(name?.text ?? "by its key") \(Self.text(of: edit))"
        case .delete(let name): "deletes \(name)"
        case .sql(let text): "runs \(text)"
        case .renew(let entity, let name, let edit): "deletes and inserts \(entity) \(name) \(Self.text(of: edit))"
        }
    }

    private static func text(of edit: RowEdit) -> String {
        let parts = edit.attributes.map { "\($0)=\($1)" } + edit.references.map { "\($0)=\($1?.text ?? "nil")" }
        return (parts + edit.collections.map { "\($0)=\($1.map(\.text))" }).sorted().joined(separator: " ")
    }
}

/// Draws edits that fit what the device holds.
private struct EditSource {
    let store: Store
    let random: SeededRandom
    let step: Int

    private static let names = ["Shelf", "Box", "Note", "Tag", "Topic"]

    private func rows(_ entity: String) -> [StoredRow] {
        var rows: [StoredRow] = []
        do { try store.forEachRow(of: store.concreteEntity(entity)) { rows.append($0) } } catch { return [] }
        return rows
    }

    private func some(_ entity: String) -> RecordName? { random.pick(rows(entity))?.name }

    mutating func next() -> RunEdit {
        let entity = random.pick(Self.names) ?? "Note"
        switch random.below(100) {
        case 0..<40: return insert(entity)
        case 40..<70: return update(entity)
        case 70..<82:
            guard let name = some(entity) else { return insert(entity) }
            return .delete(name)
        case 82..<86:
            guard let name = some("Note") else { return insert("Note") }
            return .renew("Note", name, edit("Note", isNew: true))
        default: return shell()
        }
    }

    private func insert(_ entity: String) -> RunEdit {
        .put(entity, entity == "Topic" ? nil : RecordName(random.uuid().uuidString), edit(entity, isNew: true), random.chance(15) ? .import : .local)
    }

    private func update(_ entity: String) -> RunEdit {
        guard let name = some(entity) else { return insert(entity) }
        return .put(entity, name, edit(entity, isNew: false), random.chance(10) ? .import : .local)
    }

    private func edit(_ entity: String, isNew: Bool) -> RowEdit {
        var edit = RowEdit()
        if store.layout.schema.version.major > 1, ["Box", "Note"].contains(entity), random.chance(60) { edit.attributes["colour"] = .string("c\(step)") }
        switch entity {
        case "Shelf": edit.attributes["title"] = .string("t\(step)")
        case "Box":
            if random.chance(60) { edit.attributes["text"] = text }
            if random.chance(30) { edit.attributes["weight"] = .double(random.pick([.nan, .infinity, -0.0, Double(step)]) ?? 0) }
            if random.chance(20) { edit.attributes["due"] = .date(Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000)) / 7)) }
            if isNew || random.chance(40), let shelf = some("Shelf") { edit.references["shelf"] = shelf }
            if random.chance(40) { edit.collections["tags"] = several("Tag") }
            if random.chance(20) { edit.collections["notes"] = several("Note") }
        case "Note":
            if random.chance(60) { edit.attributes["text"] = text }
            for (relationship, target) in [("box", "Box"), ("next", "Note"), ("topic", "Topic")] where random.chance(45) {
                edit.references[relationship] = random.chance(20) ? .some(nil) : some(target)
            }
        case "Tag":
            if isNew || random.chance(40) { edit.attributes["label"] = .string("l\(random.below(4))") }
            if random.chance(50) { edit.attributes["text"] = text }
            if random.chance(30) { edit.collections["boxes"] = several("Box") }
        default:
            if isNew { edit.attributes["key"] = .string("k\(random.below(4))") }
            if random.chance(60) { edit.attributes["text"] = text }
        }
        return edit
    }

    private var text: PropertyValue { random.chance(15) ? .null : .string("e\(step)") }

    private func several(_ entity: String) -> [RecordName] {
        rows(entity).map(\.name).filter { _ in random.chance(40) }
    }

    private func key(of name: RecordName) -> Int64? {
        do { return try store.row(named: name)?.key } catch { return nil }
    }

    private func shell() -> RunEdit {
        let entity = random.pick(["Box", "Note", "Topic"]) ?? "Note"
        guard let name = some(entity), let key = key(of: name) else { return insert(entity) }
        switch random.below(5) {
        case 0 where entity == "Note": return .sql("DELETE FROM Note WHERE _pk = \(key)")
        case 1: return .sql("UPDATE \(entity) SET text = NULL WHERE _pk = \(key)")
        case 2: return .sql("UPDATE \(entity) SET text = 'all \(step)'")
        case 3: return .sql("INSERT INTO Note(_id, text) VALUES ('shell \(step) \(random.below(1_000_000))', 'shell')")
        default: return .sql("UPDATE \(entity) SET text = 'shell \(step)' WHERE _pk = \(key)")
        }
    }
}
