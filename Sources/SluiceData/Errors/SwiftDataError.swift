/// What containers, contexts and fetches throw.
///
/// The statics are codes: errors are equal, and match in a `catch`, when their codes are. An error that was thrown also says what happened,
/// to which thing and what to do next, in `localizedDescription`.
///
///     do { container = try ModelContainer(for: Note.self) }
///     catch SwiftDataError.migrationRequired { … }
public struct SwiftDataError: Error, Hashable, Sendable {
    package let code: Code
    /// What happened, to which thing, and what to do next.
    public private(set) var explanation: String?
    /// What a layer below said.
    public private(set) var underlyingError: (any Error)?

    package init(_ code: Code, explanation: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.explanation = explanation
        self.underlyingError = underlyingError
    }

    package enum Code: Hashable, Sendable {
        case includePendingChangesWithBatchSize
        case unsupportedPredicate
        case unsupportedKeyPath
        case sortingPendingChangesWithIdentifiers
        case unsupportedSortDescriptor
        case duplicateConfiguration
        case configurationFileNameTooLong
        case configurationFileNameContainsInvalidCharacters
        case configurationSchemaNotFoundInContainerSchema
        case loadIssueModelContainer
        case modelValidationFailure
        case missingModelContext
        case backwardMigration
        case unknownSchema
        case historyTokenExpired
        case invalidTransactionFetchRequest
        case unknownDataStoreSchema
        case invalidSchema
        case invalidConfiguration
        case migrationRequired
        case storeIsNewer
        case missingEntitlement
        case ownedBy(Int32?)
        case ambiguousRename
        case duplicateVersionChecksums
        case unsavedChanges
        case arithmeticOverflow
    }

    /// The same error, explained.
    package func because(_ explanation: String, underlyingError: (any Error)? = nil) -> SwiftDataError {
        SwiftDataError(code, explanation: explanation, underlyingError: underlyingError ?? self.underlyingError)
    }

    public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// So that `catch SwiftDataError.unknownSchema` catches.
    public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
        guard let error = error as? SwiftDataError else { return false }
        // Whoever asks for an owner without naming a process means any.
        if case .ownedBy(nil) = pattern.code, case .ownedBy = error.code { return true }
        return error == pattern
    }
}
