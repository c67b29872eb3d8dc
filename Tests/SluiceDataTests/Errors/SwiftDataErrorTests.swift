import Foundation
import SluiceData
import Testing

@Suite struct SwiftDataErrorTests {
    private struct Below: LocalizedError {
        var errorDescription: String? { "the disk is full" }
    }

    @Test func `an error says what happened, to which thing, and what the layer below said`() {
        let error = SwiftDataError.loadIssueModelContainer.because("Notes.store", underlyingError: Below())
        #expect(error.localizedDescription == "the store could not be opened: Notes.store (the disk is full)")
        #expect("\(error)" == error.localizedDescription)
        #expect(error.underlyingError is Below && error.explanation == "Notes.store")
    }

    @Test func `an explanation keeps what was below`() {
        let error = SwiftDataError.unknownSchema.because("a", underlyingError: Below()).because("b")
        #expect(error.underlyingError is Below && error.explanation == "b")
    }

    @Test func `errors are equal by their codes, whatever they explain`() {
        #expect(SwiftDataError.unknownSchema.because("a") == SwiftDataError.unknownSchema)
        #expect(SwiftDataError.unknownSchema.because("a").hashValue == SwiftDataError.unknownSchema.hashValue)
        #expect(SwiftDataError.unknownSchema != SwiftDataError.backwardMigration)
        #expect(SwiftDataError.ownedBy(1) != SwiftDataError.ownedBy(2))
    }

    @Test func `a catch clause matches by code`() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch SwiftDataError.migrationRequired { return "older" } catch SwiftDataError.ownedBy() {
                return "owned"
            } catch {
                return "other"
            }
        }
        #expect(caught(SwiftDataError.migrationRequired.because("x")) == "older")
        #expect(caught(SwiftDataError.ownedBy(12)) == "owned")
        #expect(caught(SwiftDataError.storeIsNewer) == "other")
        #expect(caught(CancellationError()) == "other")
    }

    @Test func `every code has words of its own`() {
        let all: [SwiftDataError] = [
            .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath, .sortingPendingChangesWithIdentifiers,
            .unsupportedSortDescriptor, .duplicateConfiguration, .configurationFileNameTooLong,
            .configurationFileNameContainsInvalidCharacters, .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer,
            .modelValidationFailure, .missingModelContext, .backwardMigration, .unknownSchema, .historyTokenExpired,
            .invalidTransactionFetchRequest, .invalidSchema, .invalidConfiguration, .migrationRequired, .storeIsNewer, .missingEntitlement,
            .ownedBy(7), .ambiguousRename, .duplicateVersionChecksums,
        ]
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(SwiftDataError.ownedBy(7).description.contains("7"))
        #expect(DataStoreError.preferInMemorySort.localizedDescription.contains("sorting"))
    }
}
