package import SluiceSchema

/// One thing that is wrong with the released versions of a schema, found before anything runs.
package enum ReleaseFault: Hashable, Sendable {
    /// The step from the version before cannot be taken as the two are written.
    case step(MigrationFault)
    /// Another version, by its place in the list, has the same shape.
    case sameShape(as: Int)
    case stage(StageFault)
}

extension ReleaseFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .step(let fault): "\(fault)"
        case .sameShape: "it has the shape of another version"
        case .stage(let fault): "\(fault)"
        }
    }
}

/// Looks at all released versions of a schema as a store would go through them.
package enum ReleaseCheck {
    /// - Parameter releases: the oldest first.
    /// - Returns: what is wrong with each of them; empty where nothing is.
    /// - Throws: `SQLiteError` where SQLite has no memory for a schema.
    package static func faults(of releases: [SchemaRelease]) throws -> [[ReleaseFault]] {
        var shapes: [Schema] = []
        var faults: [[ReleaseFault]] = []
        for release in releases {
            guard let held = shapes.last else {
                shapes.append(release.schema)
                let stage = StageFault(
                    .stage, found: "a migration to the oldest version", expected: "a version before it, or no `migration`")
                faults.append(release.stage == nil ? [] : [.stage(stage)])
                continue
            }
            var found = try stageFaults(of: release, from: held).map(ReleaseFault.stage)
            found += step(from: held, to: release).map(ReleaseFault.step)
            if let twin = shapes.indices.last(where: { release.schema.isSameShape(as: shapes[$0]) }) {
                found.append(.sameShape(as: twin))
            }
            shapes.append(release.schema.adopting(wireNamesOf: held))
            faults.append(found)
        }
        return faults
    }

    /// A stage with edits may bring what could not be inferred, if an edit is about it. What goes while its like comes has to be said all
    /// the same, since the edits see either the one or the other.
    private static func step(from held: Schema, to release: SchemaRelease) -> [MigrationFault] {
        var faults: [MigrationFault] = []
        do throws(MigrationRefusal) {
            _ = try SchemaChange(from: held, to: release.schema, kind: .lightweight(discarding: release.stage?.discarded ?? []))
        } catch {
            faults = error.faults
        }
        guard let stage = release.stage, stage.isCustom else { return faults }
        var lasting: [MigrationFault] = []
        do throws(MigrationRefusal) { _ = try SchemaChange(from: held, to: release.schema, kind: .custom) } catch { lasting = error.faults }
        let edited = EditedProperties(stage, from: held, to: release.schema)
        return lasting + faults.filter { !lasting.contains($0) && !edited.settle($0) }
    }

    private static func stageFaults(of release: SchemaRelease, from held: Schema) throws -> [StageFault] {
        guard let stage = release.stage else { return [] }
        var faults = discardFaults(of: stage, from: held, to: release.schema)
        if !stage.before.isEmpty { faults += try StageCheck(held).faults(of: stage.before, .before) }
        if !stage.after.isEmpty { faults += try StageCheck(release.schema).faults(of: stage.after, .after) }
        return faults
    }

    private static func discardFaults(of stage: StageScript, from held: Schema, to wanted: Schema) -> [StageFault] {
        let match = SchemaMatch(from: held, to: wanted)
        return stage.discarded.sorted().compactMap { name in
            let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let place = StageFault.Place.discarded(name)
            let expected = "an entity or `Entity.property` of \(held.name) \(held.version)"
            guard let entity = parts.first.flatMap({ held.entity(named: $0) }) else {
                return StageFault(place, found: "`\(name)`", expected: expected, unknown: parts.first, among: held.entities.map(\.name))
            }
            guard parts.count == 2 else {
                return match.destination(of: name) == nil
                    ? nil : StageFault(place, found: "entity `\(name)`, which is still there", expected: "one that goes")
            }
            let properties = held.properties(of: entity).map(\.name)
            guard properties.contains(parts[1]) else {
                return StageFault(
                    place, found: "`\(name)`", expected: expected, unknown: name, among: properties.map { "\(entity.name).\($0)" })
            }
            guard let kept = match.destination(of: entity.name).flatMap({ match.destination(of: parts[1], in: $0.name) }) else {
                return nil
            }
            return StageFault(place, found: "`\(name)`, which is still there as `\(kept.name)`", expected: "one that goes")
        }
    }
}

/// What the edits of a stage are about.
private struct EditedProperties {
    private let stage: StageScript
    private let match: SchemaMatch

    init(_ stage: StageScript, from held: Schema, to wanted: Schema) {
        self.stage = stage
        match = SchemaMatch(from: held, to: wanted)
    }

    /// Whether a fault is what the edits are there for.
    func settle(_ fault: MigrationFault) -> Bool {
        switch fault {
        case .requiredWithoutDefault(let entity, let property, _, _): sets(property, of: entity, in: stage.after, match.to)
        case .narrowed(let entity, let property, _, _, _):
            sets(property, of: entity, in: stage.after, match.to)
                || match.source(of: entity).map { old in
                    sets(match.source(of: property, in: entity)?.name ?? property, of: old.name, in: stage.before, match.from)
                } ?? false
        case .tooManyMembers, .duplicates, .tableSplitOrMerged: true
        case .ambiguousRename, .identityChanged: false
        }
    }

    private func sets(_ property: String, of name: String, in edits: [StageEdit], _ schema: Schema) -> Bool {
        guard let entity = schema.entity(named: name) else { return false }
        let relatives = Set((schema.lineage(of: entity) + schema.family(of: entity)).map(\.name))
        return edits.contains { edit in
            guard relatives.contains(edit.entity), case .set(let assignments) = edit.action else { return false }
            return assignments.contains { $0.property == property }
        }
    }
}
