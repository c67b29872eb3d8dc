import Foundation
import Glibc
import SluiceHTTPClient
import SluiceRecords
import Testing

/// New certificates under a service that runs.
@Suite(.timeLimit(.minutes(10))) struct CertificateReloadTests {
    /// Puts the certificate of another authority in place, as a renewal does: by renaming.
    /// - Returns: the authority's file.
    private func renew(_ service: ServiceProcess, _ name: String, key: Bool = true) throws -> String {
        let folder = service.folder.appendingPathComponent(name)
        #expect(try ServiceProcess.run(["dev-cert", "--out", folder.path, "localhost", "127.0.0.1"]).status == 0)
        for file in ["server.pem"] + (key ? ["server.key"] : []) {
            #expect(rename(folder.appendingPathComponent(file).path, service.folder.appendingPathComponent(file).path) == 0)
        }
        return folder.appendingPathComponent("ca.pem").path
    }

    private func client(trusting authority: String) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = authority
        configuration.timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(60))
        return try HTTPClient(configuration)
    }

    /// The status of an answer, or why there is none.
    private func outcome(_ client: HTTPClient, _ request: HTTPClientRequest) async -> String {
        do throws(HTTPClientError) { return "\(try await client.send(request).status)" } catch { return error.kind.rawValue }
    }

    private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test func `a new certificate is shown to new connections; open ones and long polls go on; one that is broken changes nothing`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let old = try service.makeClient()
        try await service.makeZone(old)
        let start = try DatabaseChangesResponse(decoding: try await old.send(service.requests.make(.databaseChanges, DatabaseChangesRequest())).body)
        let poll = try service.requests.make(.databaseChanges, DatabaseChangesRequest(syncToken: start.syncToken, waitSeconds: 50))
        let waiting = Task {
            var poll = poll
            poll.timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(60), total: .seconds(60))
            return try DatabaseChangesResponse(decoding: try await old.send(poll).body)
        }
        let list = try service.requests.make(.zonesList, DatabaseChangesRequest())
        // The long poll has the first one's connection; this one keeps its own.
        let kept = try service.makeClient()
        #expect(try await kept.send(list).status == 200)
        let second = try client(trusting: try renew(service, "second"))
        // It may have been noticed already.
        let before = await outcome(second, list)
        #expect(before == "certificate" || service.log.contains("read anew"))
        kill(service.process.processIdentifier, SIGHUP)
        #expect(try await eventually { service.log.contains("<5>the certificate was read anew") })
        #expect(try await second.send(list).status == 200)
        // Its connection was made with the old certificate, and it trusts no other: what it gets comes over that.
        #expect(try await kept.send(list).status == 200)

        // Half of a renewal: a certificate that the key does not belong to.
        _ = try renew(service, "third", key: false)
        #expect(try await eventually { service.log.contains("<3>the new certificate cannot be used, the one before stays in use") })
        #expect(try await client(trusting: service.folder.appendingPathComponent("second/ca.pem").path).send(list).status == 200)
        try Data("no certificate".utf8).write(to: service.folder.appendingPathComponent("server.pem"))
        kill(service.process.processIdentifier, SIGHUP)
        #expect(try await eventually { service.log.components(separatedBy: "cannot be used").count >= 3 })
        #expect(try await client(trusting: service.folder.appendingPathComponent("second/ca.pem").path).send(list).status == 200)

        // Without a signal: the files have changed.
        let fourth = try client(trusting: try renew(service, "fourth"))
        #expect(try await eventually { await outcome(fourth, list) == "200" })
        try await service.makeZone(fourth, ZoneID("News"))
        #expect(try await waiting.value.zones.map(\.zoneID.zoneName) == ["News"])
        #expect(!service.log.contains("PRIVATE KEY"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `a long poll learns at once of a zone that a command deleted`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let client = try service.makeClient()
        try await service.makeZone(client)
        let start = try DatabaseChangesResponse(decoding: try await client.send(service.requests.make(.databaseChanges, DatabaseChangesRequest())).body)
        // The client waits for twenty seconds at most, the service for fifty.
        let poll = try service.requests.make(.databaseChanges, DatabaseChangesRequest(syncToken: start.syncToken, waitSeconds: 50))
        let waiting = Task { try DatabaseChangesResponse(decoding: try await client.send(poll).body) }
        let scope = ["--data", service.data, "--container", "iCloud.test", "--environment", "development"]
        #expect(try ServiceProcess.run(["zone", "delete", "--user", "ann", "Notes"] + scope).status == 0)
        let answer = try await waiting.value
        #expect(answer.zones.map(\.isDeleted) == [true])
        #expect(service.end(SIGTERM) == 0)
        // Nobody serves: a command finds nobody to tell, and does not wait for one.
        #expect(try ServiceProcess.run(["zone", "delete", "--user", "ann", "_defaultZone"] + scope).status != 0)
        #expect(try ServiceProcess.run(["token", "list", "--data", service.data]).status == 0)
    }
}
