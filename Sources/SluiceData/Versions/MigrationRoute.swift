import SluiceSchema

/// A migration plan, read once and checked before any file is touched.
struct MigrationRoute {
    struct Version {
        let type: any VersionedSchema.Type
        let schema: Schema
        /// As messages have it.
        var name: String { "\(type) (\(schema.version))" }
    }

    let plan: any SchemaMigrationPlan.Type
    /// The oldest first, as the plan lists them.
    let versions: [Version]

    /// - Throws: `SwiftDataError.duplicateVersionChecksums` for two versions of one shape, `.invalidSchema` for a version whose classes
    ///   contradict themselves, `.invalidConfiguration` for a plan without versions and for a stage that leads to a version it does not list.
    init(_ plan: any SchemaMigrationPlan.Type) throws {
        self.plan = plan
        versions = plan.schemas.map { Version(type: $0, schema: Schema(versionedSchema: $0)) }
        guard !versions.isEmpty else {
            throw SwiftDataError.invalidConfiguration.because("migration plan \(plan) lists no schema: put every released version in `schemas`")
        }
        try checkShapes()
        try checkStages()
    }

    private func checkShapes() throws {
        let shapes = try versions.map { try $0.schema.storeSchema(named: "\(plan)").entities }
        for (later, shape) in shapes.enumerated() {
            guard let earlier = shapes[..<later].firstIndex(of: shape) else { continue }
            throw SwiftDataError.duplicateVersionChecksums.because(
                """
                Duplicate version checksums across stages detected: \(versions[earlier].name) and \(versions[later].name) of \(plan) have the same \
                shape. Each version needs classes of its own as they were when it was released; nothing was opened
                """)
        }
    }

    private func checkStages() throws {
        for stage in plan.stages {
            for end in [stage.fromVersion, stage.toVersion] where position(of: end) == nil {
                throw SwiftDataError.invalidConfiguration.because("\(stage) of \(plan) names \(end), which `schemas` does not list: add it there")
            }
        }
    }

    private func position(of type: any VersionedSchema.Type) -> Int? { versions.firstIndex { $0.type == type } }

    /// The stages from one version to another, in their order.
    /// - Throws: `SwiftDataError.invalidConfiguration` where the plan has no way there.
    func stages(from start: Int, to end: Int) throws -> [(stage: MigrationStage, from: Int, to: Int)] {
        var found: [(stage: MigrationStage, from: Int, to: Int)] = []
        var place = start
        while place != end {
            let here = versions[place]
            guard found.count < versions.count, let stage = plan.stages.first(where: { $0.fromVersion == here.type }),
                let next = position(of: stage.toVersion)
            else {
                throw SwiftDataError.invalidConfiguration.because(
                    """
                    \(plan) has no stage that leads from \(here.name) to \(versions[end].name): \
                    add MigrationStage.lightweight(fromVersion: \(here.type).self, toVersion: …)
                    """)
            }
            found.append((stage, place, next))
            place = next
        }
        return found
    }
}
