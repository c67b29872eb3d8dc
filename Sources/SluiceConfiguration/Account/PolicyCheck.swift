import SluiceNotation
import SluiceSchema
import SluiceSync

/// Compares the policies of single fields with the schema, each fault at the name where it stands.
struct PolicyCheck {
    let schema: Schema
    let log: FaultLog

    /// - Parameter synced: what stands below `synced`. Entities that the schema does not have are named by `EntityReferences`.
    func check(_ synced: YAMLNode?) {
        for entry in entries(synced, below: SyncedKey.entities.rawValue) {
            guard let entity = schema.entity(named: entry.key) else { continue }
            let known = schema.attributes(of: entity).map(\.name) + schema.relationships(of: entity).filter { !$0.isToMany }.map(\.name)
            for field in entries(entry.value, below: SyncedEntityKey.fields.rawValue) {
                guard case .scalar(let text) = field.value.content, let policy = ConflictPolicy(rawValue: text),
                    let fault = MergePolicies.fault(of: policy, for: field.key, of: entity, in: schema)
                else { continue }
                log.add(
                    field.position, found: fault.found, expected: fault.expected,
                    suggestion: fault.problem == .noSuchField ? Spelling.nearest(to: field.key, in: known) : nil)
            }
        }
    }

    private func entries(_ node: YAMLNode?, below key: String) -> [YAMLNode.Entry] {
        guard case .mapping(let sections)? = node?.content, case .mapping(let entries)? = sections.first(where: { $0.key == key })?.value.content
        else { return [] }
        return entries
    }
}
