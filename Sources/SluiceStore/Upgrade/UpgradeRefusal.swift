package import SluiceSchema

/// Why a store is not brought to the wanted shape. The file is as it was.
package enum UpgradeRefusal: Error, CustomStringConvertible {
    /// The file is ahead of who opens it; `found` says how that shows.
    case isNewer(found: String, plan: String?)
    /// The file has the shape of none of the plan's versions.
    case unknownShape(plan: String, nearest: String, difference: SchemaDifference)
    /// No stage leads on from a version.
    case noStage(plan: String, from: String, to: String)
    /// The two shapes or the rows forbid a step.
    case step(MigrationRefusal)

    package var description: String {
        switch self {
        case .isNewer(let found, _):
            "the store \(found). Update this program; or, to go back to its shape on purpose, give its schema a higher version"
        case .unknownShape(let plan, let nearest, let difference):
            "the store has the shape of no version of \(plan). Beside \(nearest), the nearest: \(difference). Declare the version as it was released"
        case .noStage(let plan, let from, let to): "\(plan) has no stage that leads from \(from) to \(to): add one"
        case .step(let refusal): "\(refusal)"
        }
    }
}

/// What the code of a stage threw.
package struct StageFailure: Error, CustomStringConvertible {
    package let stage: String
    package let error: any Error

    package var description: String { "stage \(stage) of the migration failed, and the store is as it was: \(error)" }
}
