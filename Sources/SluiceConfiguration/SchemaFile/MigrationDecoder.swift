import SluiceSchema
import SluiceStore

/// Decodes the section `migration` and remembers where each part stands. What the expressions say is checked once the version before is
/// known.
struct MigrationDecoder {
    private let log: FaultLog
    private(set) var positions: [StageFault.Place: Position] = [:]

    init(log: FaultLog) { self.log = log }

    mutating func stage(_ node: YAMLNode) -> StageScript? {
        guard let section = Section<MigrationKey>(node, name: SchemaKey.migration.rawValue, log: log) else { return nil }
        positions[.stage] = node.position
        let stage = StageScript(
            discarded: discarded(section[.discard]), before: edits(section[.before], .before), after: edits(section[.after], .after))
        if stage.discarded.isEmpty, !stage.isCustom, log.faults.isEmpty {
            log.add(
                node.position, found: "a migration that does nothing", expected: "at least one of discard, before, after; or no `migration`"
            )
        }
        return stage
    }

    private mutating func discarded(_ node: YAMLNode?) -> Set<String> {
        var names: Set<String> = []
        for item in node.flatMap({ log.list($0, expected: "a list of entities and `Entity.property`") }) ?? [] {
            guard let name = log.scalar(item, expected: "an entity, or `Entity.property`") else { continue }
            if !names.insert(name).inserted { log.add(item.position, found: "`\(name)` again", expected: "each name once") }
            positions[.discarded(name)] = item.position
        }
        return names
    }

    private mutating func edits(_ node: YAMLNode?, _ half: StageFault.Half) -> [StageEdit] {
        let nodes = node.flatMap { log.list($0, expected: "a list of edits") } ?? []
        return nodes.enumerated().compactMap { index, node in edit(node, half, index) }
    }

    private mutating func edit(_ node: YAMLNode, _ half: StageFault.Half, _ index: Int) -> StageEdit? {
        guard let section = Section<MigrationEditKey>(node, name: half.rawValue, log: log) else { return nil }
        positions[.entity(half, index)] = section[.entity]?.position ?? node.position
        positions[.condition(half, index)] = section[.where]?.position
        section.refuse(.delete, beside: .set)
        let entity = section.required(.entity, .text)
        let condition = section[.where].flatMap { log.scalar($0, expected: "an SQL expression") }
        let action: StageEdit.Action
        if let node = section[.set] {
            action = .set(assignments(node, half, index))
        } else if section[.delete] != nil {
            guard section.value(.delete, .yes) == true else { return nil }
            action = .delete
        } else {
            section.reportMissing(.set, expected: "a mapping of properties to expressions; or `delete: true`")
            return nil
        }
        return entity.map { StageEdit($0, where: condition, action) }
    }

    private mutating func assignments(_ node: YAMLNode, _ half: StageFault.Half, _ index: Int) -> [StageEdit.Assignment] {
        let entries = log.entries(node, expected: "a mapping of properties to expressions") ?? []
        return entries.compactMap { entry in
            positions[.property(half, index, entry.key)] = entry.position
            positions[.expression(half, index, entry.key)] = entry.value.position
            return log.scalar(entry.value, expected: "an SQL expression; NULL for no value").map { StageEdit.Assignment(entry.key, $0) }
        }
    }
}

extension ScalarKind where Value == Bool {
    /// A switch that is either there or not.
    fileprivate static var yes: ScalarKind { ScalarKind(expectation: "true") { $0 == "true" ? true : nil } }
}
