public import Foundation

extension SwiftDataError: CustomStringConvertible, LocalizedError {
    /// What happened in general, then to which thing and what to do, then what a layer below said.
    public var description: String {
        var text = summary
        if let explanation { text += ": \(explanation)" }
        if let underlyingError { text += " (\(Self.text(of: underlyingError)))" }
        return text
    }

    public var errorDescription: String? { description }
    public var failureReason: String? { explanation }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as any LocalizedError: error.errorDescription ?? "\(error)"
        default: "\(error)"
        }
    }

    private var summary: String {
        switch code {
        case .includePendingChangesWithBatchSize: "a batched fetch does not see unsaved changes"
        case .unsupportedPredicate: "the predicate cannot be asked of a store"
        case .unsupportedKeyPath: "the key path leads to no stored property"
        case .sortingPendingChangesWithIdentifiers: "identifiers cannot be sorted together with unsaved changes"
        case .unsupportedSortDescriptor: "the store cannot sort so"
        case .duplicateConfiguration: "two configurations claim one store"
        case .configurationFileNameTooLong: "the store's file name is too long"
        case .configurationFileNameContainsInvalidCharacters: "the configuration's name cannot be a file name"
        case .configurationSchemaNotFoundInContainerSchema: "the configuration names models that the container's schema does not have"
        case .loadIssueModelContainer: "the store could not be opened"
        case .modelValidationFailure: "a model cannot be saved as it is"
        case .missingModelContext: "the model belongs to no context"
        case .invalidSchema: "the model classes contradict each other"
        case .invalidConfiguration: "the configuration asks for something that cannot be had"
        case .historyTokenExpired: "history was deleted beyond the token"
        case .invalidTransactionFetchRequest: "the store cannot answer that history request"
        case .backwardMigration, .unknownSchema, .unknownDataStoreSchema, .migrationRequired, .storeIsNewer, .ambiguousRename,
            .duplicateVersionChecksums:
            versionSummary
        case .unsavedChanges: "the context has unsaved changes that the statement would not see"
        case .arithmeticOverflow: "the result does not fit its type"
        case .missingEntitlement: "only the process that holds the account's coordinator lock opens its synced store"
        case .ownedBy(let process): process.map { "process \($0) owns the synced store" } ?? "another process owns the synced store"
        }
    }

    private var versionSummary: String {
        switch code {
        case .backwardMigration: "the store is of a later version than the migration plan's last"
        case .unknownSchema, .unknownDataStoreSchema: "the store's shape is that of no version in the migration plan"
        case .migrationRequired: "the store is older than the schema and this process may not migrate it; its owner must open it first"
        case .storeIsNewer: "a newer program has migrated the store; update this one"
        case .ambiguousRename: "a property went and one of its type came; originalName: says whether it was renamed"
        default: "two versions of the migration plan have the same shape"
        }
    }
}
