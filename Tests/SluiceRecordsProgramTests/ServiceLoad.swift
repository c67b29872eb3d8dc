import Foundation
import FuzzFixture
import SluiceHTTPClient
import SluiceRecords
import Synchronization
import Testing

private final class Counter: Sendable {
    private let value = Mutex(0)

    func increment() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// Moments at which something is killed: five in the tests, as many as `SLUICE_SERVICE_KILLS` says in the soak. Drawn from `SLUICE_SEED`, which
/// is printed.
struct KillMoment: Sendable {
    /// So many batches were acknowledged since the moment before.
    let batches: Int
    /// And so much time has passed since.
    let microseconds: UInt32

    /// - Parameter victim: who is killed, for the line that names the seed.
    static func all(of victim: String) -> [KillMoment] {
        let count = ProcessInfo.processInfo.environment["SLUICE_SERVICE_KILLS"].flatMap(Int.init) ?? 5
        print("kills of \(victim): \(count), SLUICE_SEED=\(Fuzzing.seed)")
        var numbers = SeededNumbers(seed: Fuzzing.seed)
        return (0..<count).map { _ in KillMoment(batches: .random(in: 10..<90, using: &numbers), microseconds: .random(in: 0..<4_000, using: &numbers)) }
    }
}

/// Writing to a process for as long as it is there, and counting what it has kept.
extension ServiceProcess {
    func makeZone(_ client: HTTPClient, _ zone: ZoneID = ZoneID("Notes")) async throws {
        let body = ZonesModifyRequest(operations: [ZoneOperation(.create, zone)])
        #expect(try await client.send(requests.make(.zonesModify, body)).status == 200)
    }

    /// Names of all records, by pages.
    func names(_ client: HTTPClient, _ zone: ZoneID = ZoneID("Notes")) async throws -> [String] {
        var names: [String] = []
        var token: String?
        while true {
            let request = try requests.make(.zoneChanges, ZoneChangesRequest(zones: [.init(zone, syncToken: token)]))
            guard case .changes(let page) = try ZoneChangesResponse(decoding: try await client.send(request).body).zones[0] else {
                throw CocoaError(.coderReadCorrupt)
            }
            names += page.records.map(\.recordName)
            token = page.syncToken
            if !page.moreComing { return names }
        }
    }

    /// Eight writers that keep sending batches of five until the service is gone.
    /// - Returns: the names in acknowledged batches, and the requests that were sent without an answer.
    func writeUntilGone(
        _ client: HTTPClient, zone: ZoneID = ZoneID("Notes"), batches enough: Int, then end: @escaping @Sendable () -> Void
    ) async throws -> (acknowledged: [String], unanswered: [HTTPClientRequest]) {
        let requests = self.requests
        let acknowledgedBatches = Counter()
        return try await withThrowingTaskGroup(of: ([String], HTTPClientRequest?).self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var acknowledged: [String] = []
                    for batch in 0... {
                        let names = (0..<5).map { "w\(writer)-\(batch)-\($0)" }
                        let operations = names.map { RecordOperation(.create, Record($0, type: "N", fields: ["n": Field(.string($0))])) }
                        let request = try requests.make(
                            .recordsModify, ModifyRequest(operations: operations, zoneID: zone), id: "\(zone.zoneName)-\(writer)-\(batch)")
                        guard let answer = try? await client.send(request), answer.status == 200 else { return (acknowledged, request) }
                        acknowledged += names
                        if acknowledgedBatches.increment() == enough { end() }
                    }
                    return (acknowledged, nil)
                }
            }
            var result: (acknowledged: [String], unanswered: [HTTPClientRequest]) = ([], [])
            for try await (acknowledged, request) in group {
                result.acknowledged += acknowledged
                if let request { result.unanswered.append(request) }
            }
            return result
        }
    }
}

/// Writers that repeat a batch, to one process after the other, until one of them says that it is done.
final class StubbornWriters: Sendable {
    private let requests: [ServiceProcess.Requests]
    private let client: HTTPClient
    private let zone: ZoneID
    private let batches = Mutex(0)
    private let isOver = Mutex(false)

    init(_ requests: [ServiceProcess.Requests], _ client: HTTPClient, _ zone: ZoneID) {
        self.requests = requests
        self.client = client
        self.zone = zone
    }

    func end() { isOver.withLock { $0 = true } }

    /// Returns when so many batches were acknowledged from now on.
    func waitForMore(_ count: Int) async throws {
        let enough = batches.withLock { $0 } + count
        while batches.withLock({ $0 }) < enough { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// - Returns: the names in acknowledged batches.
    func write(_ writer: Int) async throws -> [String] {
        var names: [String] = []
        for batch in 0... {
            if isOver.withLock({ $0 }) { break }
            let batchNames = (0..<5).map { "w\(writer)-\(batch)-\($0)" }
            let body = ModifyRequest(operations: batchNames.map { RecordOperation(.create, Record($0, type: "N")) }, zoneID: zone)
            for attempt in 0... {
                let request = try requests[(writer + attempt) % requests.count].make(.recordsModify, body, id: "\(writer)-\(batch)")
                if let answer = try? await client.send(request), answer.status == 200 {
                    let records = try RecordsResponse(decoding: answer.body).records
                    #expect(records.allSatisfy { $0.error == nil }, "\(String(decoding: answer.body, as: UTF8.self))")
                    break
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            names += batchNames
            batches.withLock { $0 += 1 }
        }
        return names
    }
}
