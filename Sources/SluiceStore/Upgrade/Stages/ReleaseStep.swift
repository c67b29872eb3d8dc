package import SluiceSchema

/// One step that a store would go through, in words.
package struct ReleaseStep: Sendable {
    /// `1.0.0 → 2.0.0`.
    package let name: String
    package let changes: [ChangeLine]
    package let stage: StageScript?

    /// Whether a backup is made before it.
    package var mayLoseValues: Bool { changes.contains(where: \.losesValues) || stage?.isCustom == true }

    /// The steps that lead a store of the shape `held` to the newest of the releases; none where it has that shape.
    /// - Throws: `UpgradeRefusal` where nothing leads there.
    package static func steps(from held: Schema, through releases: [SchemaRelease]) throws -> [ReleaseStep] {
        guard let newest = releases.last else { return [] }
        let options = Store.Options(zone: "")
        let upgrade = StoreUpgrade(path: "", wanted: newest.schema, options: options) { _ in UpgradePlan(releases: releases) }
        let steps = try upgrade.steps(from: held)
        return zip(steps, releases.suffix(steps.count)).map { step, release in
            ReleaseStep(name: step.name, changes: step.change.changeLines, stage: release.stage)
        }
    }
}

extension StageEdit: CustomStringConvertible {
    package var description: String {
        let rows = "\(entity)\(condition.map { " where \($0)" } ?? "")"
        switch action {
        case .delete: return "deletes \(rows)"
        case .set(let assignments):
            return "sets \(assignments.map { "\($0.property) = \($0.expression)" }.joined(separator: ", ")) in \(rows)"
        }
    }
}
