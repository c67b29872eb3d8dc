import Foundation
import SluiceHTTPServer
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Docs/Protocol.md says what the code does.
@Suite struct ProtocolDocumentTests {
    /// The rows of the first table under a heading, cells without backquotes, title row left out.
    private func rows(under heading: String) throws -> [[String]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Docs/Protocol.md")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("## \(heading)") })
        let table = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "") }
        }
    }

    @Test func `the endpoints are those that are served`() throws {
        #expect(Set(try rows(under: "Endpoints").map { $0[0] }) == Set(Endpoint.allCases.map(\.rawValue)))
    }

    @Test func `the errors are those of the code, with their statuses`() throws {
        #expect(try rows(under: "Errors") == ServerErrorCode.known.map { [$0.rawValue, "\($0.httpStatus)"] })
    }

    @Test func `the extensions are named as the code names them`() throws {
        let names = try rows(under: "Sluice extensions").map { $0[0] }
        let code = [
            SluiceHeader.client, SluiceHeader.idempotencyKey, SluiceHeader.replayed, SluiceHeader.tokenGrace, ServerErrorCode.limitExceeded.rawValue,
            ServerErrorCode.changeTokenExpired.rawValue, ServerErrorCode.operationIDReused.rawValue,
        ]
        #expect(Set(code).isSubset(of: names))
        let sample = try CallerResponse(userRecordName: "_u", epoch: Epoch(rawValue: 1), limits: .cloudKit).encoded()
            + Zone(ZoneID("Z"), isDeleted: true, deletionReason: .purged).encoded() + DatabaseChangesRequest(waitSeconds: 1).encoded()
            + LookupRequest(recordNames: [], zoneID: nil, syncToken: "z", seenTags: ["1"]).encoded()
        let keys = names.filter { !code.contains($0) }
        #expect(Set(keys) == ["epoch", "limits", "deletionReason", "waitSeconds", "seenChangeTags", "syncToken"])
        for key in keys { #expect(String(decoding: sample, as: UTF8.self).contains("\"\(key)\":")) }
    }

    @Test func `the limits are the defaults of the code`() throws {
        let service = ServiceConfiguration()
        let values: [Int] = [
            ServiceLimits.cloudKit.operations, service.limits.operations, service.limits.bytes, ServiceLimits.recordBytes,
            ServiceLimits.pageRecords, ServiceLimits.queryFilters, ServiceLimits.querySorts, ServiceLimits.queryValues, ServiceLimits.querySortBytes,
            ServiceLimits.querySortedRecords, ServiceLimits.querySortedBytes,
            ServiceLimits.queriesAtOnce, ServiceLimits.recordNameLength, JSONLimits().depth, ServiceLimits.waitSeconds,
            Int(ServerConfiguration().requestTime / .seconds(1)), service.assetBytes, Int(AssetTickets.uploadTime / 60_000),
            Int(service.assetGrace / .seconds(3_600)), ServiceLimits.ledgerDays, ServiceLimits.tombstoneDays,
        ]
        #expect(try rows(under: "Limits").map { $0[1] } == values.map(String.init))
    }
}
