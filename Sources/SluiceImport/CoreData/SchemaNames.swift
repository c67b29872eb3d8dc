// Our schema refuses names that begin with an underscore (they are ours), empty names, and two names that differ only in case. Core Data
// allows all three. The rule: leading underscores go; what is then empty is called `unnamed`; a composite's members are joined
// to its name by `_`; a name that is taken, in any case, gets the lowest number from 2 that frees it. Entities and properties are
// taken in order of their names, so a file gives the same names every time. Each change stands in the report.

/// The names of the imported schema, beside those of the model.
struct SchemaNames {
    private(set) var entities: [String: String] = [:]
    private(set) var properties: [FileLayout.Key: String] = [:]
    /// What is called otherwise than in the model: "Entity" or "Entity.property", and the new name.
    private(set) var renamed: [(original: String, name: String)] = []

    init(_ model: ManagedModel) {
        var takenEntities: Set<String> = []
        for entity in model.entities.sorted(by: { $0.name < $1.name }) {
            let name = Self.free(entity.name, &takenEntities)
            entities[entity.name] = name
            if name != entity.name { renamed.append((entity.name, name)) }
        }
        // A subentity's properties must differ from its ancestors', so ancestors come first.
        for root in model.entities where root.superentity == nil { name(root, inheriting: [], in: model) }
        renamed.sort { $0.original < $1.original }
    }

    subscript(_ key: FileLayout.Key) -> String { properties[key] ?? key.path }

    private mutating func name(_ entity: ManagedEntity, inheriting inherited: Set<String>, in model: ManagedModel) {
        var taken = inherited
        let paths = entity.attributes.flatMap { $0.leaves().map(\.path) } + entity.relationships.map(\.name)
        for path in paths.sorted() {
            let key = FileLayout.Key(entity: entity.name, path: path)
            let wanted = path.split(separator: ".").joined(separator: "_")
            let name = Self.free(wanted, &taken)
            properties[key] = name
            if name != wanted { renamed.append(("\(entity.name).\(path)", name)) }
        }
        for child in model.entities where child.superentity == entity.name { self.name(child, inheriting: taken, in: model) }
    }

    private static func free(_ wanted: String, _ taken: inout Set<String>) -> String {
        let trimmed = String(wanted.drop { $0 == "_" })
        let base = trimmed.isEmpty ? "unnamed" : trimmed
        var name = base
        var number = 2
        while !taken.insert(name.lowercased()).inserted {
            name = base + "\(number)"
            number += 1
        }
        return name
    }
}
