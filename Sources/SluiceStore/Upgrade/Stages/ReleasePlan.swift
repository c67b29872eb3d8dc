package import SluiceSchema

extension UpgradePlan {
    /// The plan of released versions, the oldest first; the newest is wanted. They have been checked (`ReleaseCheck`).
    package init(releases: [SchemaRelease]) {
        let versions = releases.map { Version("\($0.schema.name) \($0.schema.version)", $0.schema) }
        let stages = releases.indices.dropFirst().map { index in
            let stage = releases[index].stage
            return UpgradeStage(
                from: index - 1, to: index, name: "\(releases[index - 1].schema.version) → \(releases[index].schema.version)",
                discarded: stage?.discarded ?? [], before: Self.code(stage?.before ?? [], .before),
                after: Self.code(stage?.after ?? [], .after),
                codeLines: (stage?.before ?? []).map { "before: \($0.summary)" } + (stage?.after ?? []).map { "after: \($0.summary)" })
        }
        self.init("schema \(releases.last?.schema.name ?? "")", versions: versions, target: max(releases.count - 1, 0), stages: stages)
    }

    private static func code(_ edits: [StageEdit], _ half: StageFault.Half) -> UpgradeStage.Code? {
        edits.isEmpty ? nil : { store in try StageRun(edits, half, on: store).run() }
    }
}

extension StageEdit {
    /// What it does, in a line; expressions are left to the file.
    fileprivate var summary: String {
        let rows = condition == nil ? "" : " where its condition holds"
        switch action {
        case .delete: return "\(entity): deletes rows\(rows)"
        case .set(let assignments): return "\(entity): sets \(assignments.map(\.property).joined(separator: ", "))\(rows)"
        }
    }
}
