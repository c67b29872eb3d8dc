import SluiceSchema
import SluiceStore

extension SwiftDataError {
    static func migratedMeanwhile(_ configuration: ModelConfiguration, because error: any Error) -> SwiftDataError {
        storeIsNewer.because(
            """
            another program migrated the store of configuration \(configuration.name) while this one had it open; nothing was written. Open a container \
            anew, with classes of the store's present shape: \(error)
            """, underlyingError: error)
    }

    /// What keeps the store from being brought to the shape of the program's classes.
    static func refused(_ refusal: UpgradeRefusal, _ configuration: ModelConfiguration) -> SwiftDataError {
        let code: SwiftDataError =
            switch refusal {
            case .isNewer(_, let plan): plan == nil ? .storeIsNewer : .backwardMigration
            case .unknownShape: .unknownSchema
            case .noStage: .invalidConfiguration
            case .step(let refusal):
                refusal.faults.allSatisfy { if case .ambiguousRename = $0 { true } else { false } } ? .ambiguousRename : .loadIssueModelContainer
            }
        let underlying: any Error = if case .step(let step) = refusal { step } else { refusal }
        return code.because(
            "configuration \(configuration.name) is not opened, and its file was left as it was: \(refusal)", underlyingError: underlying)
    }
}
