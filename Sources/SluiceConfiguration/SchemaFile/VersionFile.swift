package import SluiceSchema
import SluiceNotation
import SluiceStore

/// One version of a schema as a file has it, and where in the file each part stands.
package struct VersionFile: Sendable {
    package let file: String
    package let release: SchemaRelease
    /// By entity, then by property; an entity's own place has an empty name.
    let properties: [String: [String: Position]]
    let stage: [StageFault.Place: Position]

    /// Every fault of files that are versions of one schema, taken together.
    ///
    /// Versions share a name, differ in number and in shape, and lead from one to the next.
    static func faults(of files: [VersionFile]) -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        for (index, file) in files.enumerated() { faults += file.disagreements(with: files[..<index]) }
        guard faults.isEmpty else { return faults }
        let ordered = files.sorted { $0.release.schema.version < $1.release.schema.version }
        do {
            for (file, found) in zip(ordered, try ReleaseCheck.faults(of: ordered.map(\.release))) {
                faults += found.map { file.fault($0, among: ordered) }
            }
        } catch {
            let file = ordered.last?.file ?? ""
            faults.append(
                ConfigurationFault(file: file, position: .top, found: "a schema that was not checked (\(error))", expected: "memory"))
        }
        return faults
    }

    private func disagreements(with earlier: ArraySlice<VersionFile>) -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        let schema = release.schema
        if let first = earlier.first, schema.name != first.release.schema.name {
            faults.append(fault(.top, "schema `\(schema.name)`", "`\(first.release.schema.name)`, as in \(first.file)"))
        }
        if let twin = earlier.first(where: { $0.release.schema.version == schema.version }) {
            faults.append(fault(.top, "version \(schema.version), which \(twin.file) has too", "another number"))
        }
        return faults
    }

    private func fault(_ position: Position, _ found: String, _ expected: String, _ suggestion: String? = nil) -> ConfigurationFault {
        ConfigurationFault(file: file, position: position, found: found, expected: expected, suggestion: suggestion)
    }

    private func fault(_ found: ReleaseFault, among files: [VersionFile]) -> ConfigurationFault {
        switch found {
        case .stage(let found):
            return fault(
                stage[found.place] ?? stage[.stage] ?? .top, found.found, found.expected,
                found.unknown.flatMap { Spelling.nearest(to: $0, in: found.known) })
        case .sameShape(let other):
            return fault(
                .top, "the shape of version \(files[other].release.schema.version) (\(files[other].file)) again",
                "a shape that no other version has: remove one of the two files")
        case .step(let found):
            let entity = found.entity.flatMap { properties[$0] }
            let position = found.property.flatMap { entity?[$0] } ?? entity?[""]
            // Of an entity that goes only the one that comes has a place here.
            guard case .ambiguousRename(nil, _, let came, _) = found else {
                return fault(position ?? .top, found.problem, found.fileAdvice)
            }
            return fault(came.first.flatMap { properties[$0]?[""] } ?? .top, found.problem, found.fileAdvice)
        }
    }
}

extension MigrationFault {
    /// What to write into the file of the later version.
    package var fileAdvice: String {
        switch self {
        case .requiredWithoutDefault(let entity, let property, _, _):
            "`default:` or a type with `?` at \(property), or an edit in `migration.after` that sets \(entity).\(property)"
        case .narrowed(let entity, let property, _, _, _):
            "the old type and a new property beside it, or an edit in `migration` that sets \(entity).\(property)"
        case .ambiguousRename(let entity, let gone, let came, _):
            if let entity {
                "`wireName: \(gone)` at \(came.joined(separator: " or ")) to keep the values, "
                    + "or `discard: [\(entity).\(gone)]` in `migration`"
            } else {
                "`wireName: \(gone)` at \(came.joined(separator: " or ")) to keep the rows, or `discard: [\(gone)]` in `migration`"
            }
        case .tableSplitOrMerged(let gone, _):
            "the rows kept where they are, or `discard: [\(gone.joined(separator: ", "))]` in `migration`"
        case .identityChanged, .tooManyMembers, .duplicates: advice
        }
    }
}
