import Foundation
import SluiceCoordinator
import SluiceRecords
import SluiceSync

/// Requests as an account's coordinator makes them, without its core: for what another device or a person does at the service.
extension RecordServiceClient {
    /// - Parameter body: of `records/modify`.
    func modify(_ body: Data) async throws -> RecordsResponse {
        try await exchange(ExchangeRequest(.recordsModify, body: body, operation: UUID().uuidString)).value()
    }

    func lookup(_ names: [String], in zone: ZoneID) async throws -> RecordsResponse {
        try await exchange(ExchangeRequest(.recordsLookup, body: LookupRequest(recordNames: names, zoneID: zone).encoded())).value()
    }
}
