import Foundation
import SluiceCoordinator
import SluiceRecords
import SluiceSync

/// Requests that a test makes beside a coordinator.
extension RecordServiceClient {
    func modify(_ body: Data, operation id: String) async throws -> RecordsResponse {
        try await exchange(ExchangeRequest(.recordsModify, body: body, operation: id)).value()
    }

    func lookup(_ names: [String], in zone: ZoneID) async throws -> RecordsResponse {
        try await exchange(ExchangeRequest(.recordsLookup, body: try LookupRequest(recordNames: names, zoneID: zone).encoded())).value()
    }
}
