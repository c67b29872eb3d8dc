import SluiceSchema

/// What the code of a stage threw: the container's initialiser throws it as it is.
struct StageFailure: Error {
    let error: any Error
}

extension SwiftDataError {
    static func newer(_ configuration: ModelConfiguration, _ found: String, _ plan: (any SchemaMigrationPlan.Type)?) -> SwiftDataError {
        let code = plan == nil ? SwiftDataError.storeIsNewer : .backwardMigration
        return code.because(
            """
            the store of configuration \(configuration.name) \(found). Update this program; or, to go back to its shape on purpose, give its schema a \
            higher version. The file was left as it is
            """)
    }

    static func migratedMeanwhile(_ configuration: ModelConfiguration, because error: any Error) -> SwiftDataError {
        storeIsNewer.because(
            """
            another program migrated the store of configuration \(configuration.name) while this one had it open; nothing was written. Open a container \
            anew, with classes of the store's present shape: \(error)
            """, underlyingError: error)
    }

    /// A change that does not follow from the shapes.
    static func refused(_ refusal: any Error, _ configuration: ModelConfiguration) -> SwiftDataError {
        guard let refusal = refusal as? MigrationRefusal else { return .opening(configuration, because: refusal) }
        let isRename = refusal.faults.allSatisfy { if case .ambiguousRename = $0 { true } else { false } }
        let code = isRename ? SwiftDataError.ambiguousRename : .loadIssueModelContainer
        return code.because(
            "the store of configuration \(configuration.name) was not migrated and is as it was: \(refusal)", underlyingError: refusal)
    }
}
