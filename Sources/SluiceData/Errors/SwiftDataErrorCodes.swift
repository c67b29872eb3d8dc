// SwiftData's codes.
extension SwiftDataError {
    /// Batched fetches do not see unsaved changes. Save, or set `includePendingChanges` to false.
    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    /// The predicate has an expression that has no form in SQL; the explanation shows it.
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    /// A key path leads to something that is no stored property.
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
    /// Identifiers cannot be sorted together with unsaved changes. Save, or set `includePendingChanges` to false.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    /// A sort descriptor compares by something that is no stored property, or in a way that the store does not know.
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    /// Two configurations of one container have one name or one file.
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    /// The file name is longer than the file system takes.
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    /// The name cannot be a file's.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(.configurationFileNameContainsInvalidCharacters)
    /// A configuration lists a model that the container's schema does not have.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(.configurationSchemaNotFoundInContainerSchema)
    /// The container could not be opened; the underlying error says why. The files are as they were.
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    /// A model cannot be saved as it is.
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    /// The model belongs to no context.
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    /// The plan's newest version is older than the store.
    public static let backwardMigration = SwiftDataError(.backwardMigration)
    /// The store's shape is none that the plan knows.
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    /// History was pruned beyond that token.
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    /// A history request that the store cannot answer.
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
    /// The store's shape is none that the plan knows; the name that newer programs use.
    public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
}

// Ours.
extension SwiftDataError {
    /// The model classes contradict themselves or each other; the explanation names class and property and says what to write.
    public static let invalidSchema = SwiftDataError(.invalidSchema)
    /// A configuration asks for something that cannot be had, beyond what SwiftData has codes for.
    public static let invalidConfiguration = SwiftDataError(.invalidConfiguration)
    /// The store is older than the schema, and this process may not migrate it: its owner must open it first.
    public static let migrationRequired = SwiftDataError(.migrationRequired)
    /// A newer program has migrated the store; this one has to be updated.
    public static let storeIsNewer = SwiftDataError(.storeIsNewer)
    /// Only the process that holds an account's coordinator lock opens its synced store.
    public static let missingEntitlement = SwiftDataError(.missingEntitlement)
    /// Another process owns the synced store. As a pattern without a process it matches any owner.
    public static func ownedBy(_ processIdentifier: Int32? = nil) -> SwiftDataError { SwiftDataError(.ownedBy(processIdentifier)) }
    /// A property went while one of its type came; `originalName:` says that it was renamed.
    public static let ambiguousRename = SwiftDataError(.ambiguousRename)
    /// A statement over many rows would not see what the context has not saved.
    public static let unsavedChanges = SwiftDataError(.unsavedChanges)
    /// A sum, or a value that an update works out, does not fit its type.
    public static let arithmeticOverflow = SwiftDataError(.arithmeticOverflow)
    /// Two versions of a migration plan have one shape.
    public static let duplicateVersionChecksums = SwiftDataError(.duplicateVersionChecksums)
}
