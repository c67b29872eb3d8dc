import Foundation
import Glibc
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

/// The program under load, signals and kills (invariants I-1 and I-2 on the service's side).
@Suite(.serialized) struct ServeTests {
    private func makeZone(_ service: ServiceProcess, _ client: HTTPClient, _ zone: ZoneID = ZoneID("Notes")) async throws {
        let body = ZonesModifyRequest(operations: [ZoneOperation(.create, zone)])
        #expect(try await client.send(service.requests.make(.zonesModify, body)).status == 200)
    }

    /// Names of all records, by pages.
    private func names(_ service: ServiceProcess, _ client: HTTPClient, _ zone: ZoneID = ZoneID("Notes")) async throws -> [String] {
        var names: [String] = []
        var token: String?
        while true {
            let request = try service.requests.make(.zoneChanges, ZoneChangesRequest(zones: [.init(zone, syncToken: token)]))
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
    private func writeUntilGone(
        _ service: ServiceProcess, _ client: HTTPClient, zone: ZoneID = ZoneID("Notes"), batches enough: Int, then end: @escaping @Sendable () -> Void
    ) async throws -> (acknowledged: [String], unanswered: [HTTPClientRequest]) {
        let requests = service.requests
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

    @Test func `kill -9 under load: nothing acknowledged is missing, and the retries of the rest have their effect once`() async throws {
        let service = try ServiceProcess()
        for round in 0..<5 {
            let zone = ZoneID("Round\(round)")
            try service.start()
            let client = try service.makeClient()
            try await makeZone(service, client, zone)
            let pid = service.process.processIdentifier
            let (acknowledged, unanswered) = try await writeUntilGone(service, client, zone: zone, batches: 20 + 17 * round) { kill(pid, SIGKILL) }
            service.process.waitUntilExit()
            #expect(!unanswered.isEmpty)

            try service.start()
            let next = try service.makeClient()
            let found = try await names(service, next, zone)
            #expect(Set(acknowledged).subtracting(found).isEmpty)
            for var request in unanswered {
                request.url = try #require(URL(string: "https://127.0.0.1:\(service.port)\(request.url.path)"))
                let records = try RecordsResponse(decoding: try await next.send(request).body).records
                #expect(records.allSatisfy { $0.error == nil })
            }
            let all = try await names(service, next, zone)
            #expect(all.count == acknowledged.count + 5 * unanswered.count)
            #expect(Set(all).count == all.count)
            service.end(SIGKILL)
        }
    }

    @Test func `field report 39: SIGTERM under load ends with 0 within five seconds, and all that was acknowledged is there`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let client = try service.makeClient()
        try await makeZone(service, client)
        let pid = service.process.processIdentifier
        let stopped = Mutex<ContinuousClock.Instant?>(nil)
        let (acknowledged, _) = try await writeUntilGone(service, client, batches: 40) {
            stopped.withLock { $0 = .now }
            kill(pid, SIGTERM)
            kill(pid, SIGTERM)
        }
        service.process.waitUntilExit()
        let start = try #require(stopped.withLock { $0 })
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(service.process.terminationReason == .exit && service.process.terminationStatus == 0)
        try service.start()
        #expect(Set(acknowledged).subtracting(try await names(service, try service.makeClient())).isEmpty)
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `a second process on the same data is refused, and a revocation reaches the running one`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let second = try ServiceProcess.run([
            "serve", "--data", service.data, "--port", "0", "--certificate", service.folder.appendingPathComponent("server.pem").path, "--key",
            service.folder.appendingPathComponent("server.key").path,
        ])
        #expect(second.status == 75 && second.errors.contains("served by another process"))
        let client = try service.makeClient()
        try await makeZone(service, client)
        #expect(try ServiceProcess.run(["token", "revoke", "2", "--data", service.data]).status == 0)
        #expect(try await client.send(service.requests.make(.zonesList, DatabaseChangesRequest())).status == 421)
        #expect(service.end(SIGINT) == 0)
    }

    @Test func `a key that everybody may read is refused before anything listens`() throws {
        let service = try ServiceProcess()
        let key = service.folder.appendingPathComponent("server.key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let result = try ServiceProcess.run([
            "serve", "--data", service.data, "--port", "0", "--certificate", service.folder.appendingPathComponent("server.pem").path, "--key", key,
        ])
        #expect(result.status == 74 && result.errors.contains("chmod o-rwx"))
    }

    @Test func `the service's file says everything that options say`() throws {
        let service = try ServiceProcess()
        let file = service.folder.appendingPathComponent("service.yaml")
        let text = """
            listen:
              port: 0
              certificateFile: server.pem
              keyFile: server.key
            dataDirectory: data
            limits:
              operations: 7
            """
        try Data(text.utf8).write(to: file)
        try service.start(["--config", file.path])
        #expect(service.end(SIGTERM) == 0)
    }
}
