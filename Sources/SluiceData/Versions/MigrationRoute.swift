import SluiceSchema

/// A migration plan, read once and checked before any file is touched.
struct MigrationRoute {
    struct Version {
        let type: any VersionedSchema.Type
        let schema: Schema
        /// As messages have it.
        var name: String { "\(type) (\(schema.version))" }
    }

    /// A stage between places in `versions`.
    struct Stage {
        let from: Int
        let to: Int
        let before: (@Sendable (ModelContext) throws -> Void)?
        let after: (@Sendable (ModelContext) throws -> Void)?
    }

    let plan: any SchemaMigrationPlan.Type
    /// The oldest first, as the plan lists them.
    let versions: [Version]
    let stages: [Stage]

    /// - Throws: `SwiftDataError.duplicateVersionChecksums` for two versions of one shape, `.invalidSchema` for a version whose classes
    ///   contradict themselves, `.invalidConfiguration` for a plan without versions and for a stage that leads to a version it does not list.
    init(_ plan: any SchemaMigrationPlan.Type) throws {
        self.plan = plan
        let versions = plan.schemas.map { Version(type: $0, schema: Schema(versionedSchema: $0)) }
        guard !versions.isEmpty else {
            throw SwiftDataError.invalidConfiguration.because("migration plan \(plan) lists no schema: put every released version in `schemas`")
        }
        self.versions = versions
        func position(of type: any VersionedSchema.Type, in stage: MigrationStage) throws -> Int {
            if let position = versions.firstIndex(where: { $0.type == type }) { return position }
            throw SwiftDataError.invalidConfiguration.because("\(stage) of \(plan) names \(type), which `schemas` does not list: add it there")
        }
        stages = try plan.stages.map { stage in
            let (from, to) = (try position(of: stage.fromVersion, in: stage), try position(of: stage.toVersion, in: stage))
            guard case .custom(_, _, let before, let after) = stage else { return Stage(from: from, to: to, before: nil, after: nil) }
            return Stage(from: from, to: to, before: before, after: after)
        }
        try checkShapes()
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
}
