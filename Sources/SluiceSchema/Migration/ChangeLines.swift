// A step in words, for who wants to know what would happen before it does.

/// One change that a step makes.
package struct ChangeLine: Hashable, Sendable {
    /// Entity first.
    package let text: String
    /// Whether rows or values go with it.
    package let losesValues: Bool

    init(_ text: String, losesValues: Bool = false) {
        self.text = text
        self.losesValues = losesValues
    }
}

extension SchemaChange {
    /// What the step does, a line for each change; entities by name.
    package var lines: [String] { changeLines.map(\.text) }

    /// The same, saying of each whether something goes.
    package var changeLines: [ChangeLine] {
        match.gone.map { ChangeLine("\($0.name): drops the entity and its rows", losesValues: true) }
            + match.came.map { ChangeLine("\($0.name): adds the entity (\($0.properties.map(\.name).joined(separator: ", ")))") }
            + match.pairs.flatMap(lines)
    }

    private func lines(of pair: (from: Entity, to: Entity)) -> [ChangeLine] {
        let (old, new) = pair
        var lines: [ChangeLine] = []
        func add(_ words: String, losesValues: Bool = false) { lines.append(ChangeLine("\(new.name): \(words)", losesValues: losesValues)) }
        if old.name != new.name { add("renames the entity \(old.name)") }
        let superentity = new.superentity.flatMap { match.source(of: $0)?.name ?? $0 }
        if old.superentity != superentity { add(new.superentity.map { "inherits from \($0)" } ?? "inherits from nothing any more") }
        if old.isAbstract != new.isAbstract { add("\(new.isAbstract ? "becomes" : "is no longer") abstract") }
        if old.isLocalOnly != new.isLocalOnly { add(new.isLocalOnly ? "stays on this device" : "is synced") }
        let inherited = Set(match.from.properties(of: old).map(\.name)).subtracting(old.properties.map(\.name))
        for gone in match.goneProperties(of: pair) where !inherited.contains(gone.name) {
            add("drops \(gone.kind) \(gone.name) and its values", losesValues: true)
        }
        for property in new.properties {
            guard let source = match.source(of: property.name, in: new.name) else {
                add("adds \(property.kind) \(property.name) (\(property.shape)\(property.defaultWords))")
                continue
            }
            let isNarrower = !ChangeFaults.isWidening(source, property, match)
            for words in self.lines(from: source, to: property) { add(words, losesValues: isNarrower) }
        }
        return lines + constraintLines(old, new).map { ChangeLine($0) }
    }

    private func lines(from old: SchemaProperty, to new: SchemaProperty) -> [String] {
        var lines: [String] = []
        if old.name != new.name { lines.append("renames \(new.kind) \(old.name) to \(new.name)") }
        if old.shape != new.shape {
            lines.append("changes \(new.kind) \(new.name) from \(old.shape) to \(new.shape)\(new.defaultWords)")
        } else if old.defaultWords != new.defaultWords {
            lines.append("changes the default of \(new.name)")
        }
        switch (old, new) {
        case (.relationship(let old), .relationship(let new)):
            if old.deleteRule != new.deleteRule {
                lines.append("changes the delete rule of \(new.name) from \(old.deleteRule.rawValue) to \(new.deleteRule.rawValue)")
            }
            if (old.inverse == nil) != (new.inverse == nil) {
                lines.append(
                    new.inverse.map { "gives relationship \(new.name) the inverse \($0)" }
                        ?? "takes the inverse from relationship \(new.name)")
            }
            if (old.minimumCount, old.maximumCount) != (new.minimumCount, new.maximumCount) {
                lines.append("changes the number of members of \(new.name)")
            }
        case (.attribute(let old), .attribute(let new)):
            if old.isExternal != new.isExternal {
                lines.append("keeps new large values of \(new.name) \(new.isExternal ? "beside" : "in") the store")
            }
            if old.hashModifier != new.hashModifier { lines.append("changes what \(new.name) means (hashModifier)") }
        default: break
        }
        return lines
    }

    private func constraintLines(_ old: Entity, _ new: Entity) -> [String] {
        func moved(_ sets: [[String]]) -> [[String]] { sets.map { $0.map { match.destination(of: $0, in: new.name)?.name ?? $0 } } }
        func words(_ verb: String, _ sets: [[String]], _ others: [[String]], _ noun: String) -> [String] {
            sets.filter { !others.contains($0) }.map { "\(new.name): \(verb) \(noun) \($0.joined(separator: ", "))" }
        }
        let (uniqueness, indices) = (moved(old.uniqueness), moved(old.indices))
        return words("no longer makes unique", uniqueness, new.uniqueness, "together:")
            + words("makes unique", new.uniqueness, uniqueness, "together:")
            + words("drops the", indices, new.indices, "index on") + words("adds an", new.indices, indices, "index on")
    }
}

extension SchemaProperty {
    /// `attribute` or `relationship`.
    package var kind: String { attribute == nil ? "relationship" : "attribute" }
    fileprivate var defaultWords: String { attribute?.defaultValue.map { ", default \(ScalarForm($0).text)" } ?? "" }
}
