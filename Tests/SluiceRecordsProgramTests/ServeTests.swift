import Foundation
import Glibc
import SluiceHTTPClient
import SluiceRecords
import Synchronization
import Testing

/// The program under load, signals and kills (invariants I-1 and I-2 on the service's side).
@Suite(.serialized, .timeLimit(.minutes(60))) struct ServeTests {
    @Test func `kill -9 under load: nothing acknowledged is missing, and the retries of the rest have their effect once`() async throws {
        let service = try ServiceProcess()
        for (round, moment) in KillMoment.all(of: "a service with a file").enumerated() {
            let zone = ZoneID("Round\(round)")
            try service.start()
            let client = try service.makeClient()
            try await service.makeZone(client, zone)
            let pid = service.process.processIdentifier
            let (acknowledged, unanswered) = try await service.writeUntilGone(client, zone: zone, batches: moment.batches) {
                usleep(moment.microseconds)
                kill(pid, SIGKILL)
            }
            service.process.waitUntilExit()
            #expect(!unanswered.isEmpty)

            try service.start()
            let next = try service.makeClient()
            let found = try await service.names(next, zone)
            #expect(Set(acknowledged).subtracting(found).isEmpty)
            for var request in unanswered {
                request.url = try #require(URL(string: "https://127.0.0.1:\(service.port)\(request.url.path)"))
                let records = try RecordsResponse(decoding: try await next.send(request).body).records
                #expect(records.allSatisfy { $0.error == nil })
            }
            let all = try await service.names(next, zone)
            #expect(all.count == acknowledged.count + 5 * unanswered.count)
            #expect(Set(all).count == all.count)
            service.end(SIGKILL)
        }
        let check = try ServiceProcess.run(["check", "--data", service.data])
        #expect(check.status == 0, "\(check)")
    }

    @Test func `field report 39: SIGTERM under load ends with 0 within five seconds, and all that was acknowledged is there`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let client = try service.makeClient()
        try await service.makeZone(client)
        let pid = service.process.processIdentifier
        let stopped = Mutex<ContinuousClock.Instant?>(nil)
        let (acknowledged, _) = try await service.writeUntilGone(client, batches: 40) {
            stopped.withLock { $0 = .now }
            kill(pid, SIGTERM)
            kill(pid, SIGTERM)
        }
        service.process.waitUntilExit()
        let start = try #require(stopped.withLock { $0 })
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(service.process.terminationReason == .exit && service.process.terminationStatus == 0)
        try service.start()
        #expect(Set(acknowledged).subtracting(try await service.names(try service.makeClient())).isEmpty)
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
        try await service.makeZone(client)
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
        let file = try service.writeFile("limits: {operations: 7}")
        try service.start(["--config", file.path])
        #expect(service.end(SIGTERM) == 0)
    }
}
