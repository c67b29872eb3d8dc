// A migration plan as the store's engine takes it: shapes, and code over a store. Programs make one from their `SchemaMigrationPlan`,
// coordinators from schema files.

package import SluiceSchema

/// The released versions of a schema, and what leads from one to the next.
package struct UpgradePlan {
    package struct Version {
        /// As messages have it.
        package var name: String
        package var shape: Schema

        package init(_ name: String, _ shape: Schema) {
            self.name = name
            self.shape = shape
        }
    }

    /// As messages have it.
    package let name: String
    /// The oldest first.
    package let versions: [Version]
    /// The version that is wanted.
    package let target: Int
    package let stages: [UpgradeStage]

    package init(_ name: String, versions: [Version], target: Int, stages: [UpgradeStage]) {
        self.name = name
        self.versions = versions
        self.target = target
        self.stages = stages
    }

    /// The version whose shape a file has: what counts is the shape, not the number that somebody wrote.
    func version(of held: Schema) -> Int? {
        let order = [target] + versions.indices.reversed().filter { $0 != target }
        return order.first { versions[$0].shape.isSameShape(as: held) }
    }

    /// The shape of a store that is made now. Its fields are called on the wire as in a store that went through every version.
    var newShape: Schema? {
        versions[...target].reduce(nil as Schema?) { older, version in older.map(version.shape.adopting(wireNamesOf:)) ?? version.shape }
    }

    /// The stages from one version to another, in their order.
    /// - Throws: `UpgradeRefusal.noStage` where the plan has no way there.
    func stages(from start: Int, to end: Int) throws(UpgradeRefusal) -> [UpgradeStage] {
        var found: [UpgradeStage] = []
        var place = start
        while place != end {
            guard found.count < versions.count, let stage = stages.first(where: { $0.from == place }) else {
                throw .noStage(plan: name, from: versions[place].name, to: versions[end].name)
            }
            found.append(stage)
            place = stage.to
        }
        return found
    }
}

/// One stage of a plan.
package struct UpgradeStage {
    /// Code over the rows of one version, inside the migration's transaction.
    package typealias Code = (Store) throws -> Void

    /// Places in the plan's versions.
    package let from: Int
    package let to: Int
    package let name: String
    /// What goes for good, as `Entity.property` and `Entity`; a stage without code asks.
    package let discarded: Set<String>
    /// nil where nothing but the shape changes.
    package let before: Code?
    package let after: Code?
    /// Defaults that are worked out for each row.
    package let supplied: [SuppliedValue]

    package init(
        from: Int, to: Int, name: String, discarded: Set<String> = [], before: Code? = nil, after: Code? = nil, supplied: [SuppliedValue] = []
    ) {
        self.supplied = supplied
        self.from = from
        self.to = to
        self.name = name
        self.discarded = discarded
        self.before = before
        self.after = after
    }

    var isCustom: Bool { before != nil || after != nil }
}
