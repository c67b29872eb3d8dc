import Foundation
import Glibc
import PostgreSQLFixture
import SluiceHTTPClient
import SluiceRecords
import Testing

/// A process that dies at each place where the state of database or folder is another one before and after, and what its clients find afterwards.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PostgreSQLFailpointTests {
    private let zone = ZoneID("Notes")

    /// A service in a database of its own, of which one process runs that no test kills.
    private func pair() async throws -> (first: ServiceProcess, second: ServiceProcess, client: HTTPClient) {
        let cluster = try PostgreSQLCluster.shared.get()
        let first = try ServiceProcess(storage: cluster.target(cluster.makeDatabase()))
        let second = ServiceProcess(beside: first)
        try second.start()
        let client = try first.makeClient()
        try await second.makeZone(client, zone)
        return (first, second, client)
    }

    private func expectKilled(_ process: ServiceProcess) {
        process.process.waitUntilExit()
        #expect(process.process.terminationReason == .uncaughtSignal && process.process.terminationStatus == SIGKILL)
    }

    /// Both processes end well, and every row fits to the others.
    private func expectSound(_ first: ServiceProcess, _ second: ServiceProcess) throws {
        let check = try ServiceProcess.run(["check", "--data", first.data, "--storage", try #require(first.storage)])
        #expect(check.status == 0, "\(check)")
        #expect(second.end(SIGTERM) == 0)
    }

    /// Each the first and the second time.
    @Test(arguments: ["committing", "committed", "replying"])
    func `a process killed around its commit: what was on its way has its effect once, by the same id at another process`(point: String) async throws {
        let (first, second, client) = try await pair()
        // A type that is new is learned in a commit of its own, which is not the one that is meant.
        let known = ModifyRequest(operations: [RecordOperation(.create, Record("known", type: "N"))], zoneID: zone)
        #expect(try await client.send(second.requests.make(.recordsModify, known)).status == 200)
        for count in 1...2 {
            try first.start(environment: ["SLUICE_FAILPOINT": "\(point):\(count)"])
            func request(_ number: Int, to process: ServiceProcess) throws -> (names: [String], answer: () async throws -> [RecordResult]) {
                let names = (0..<3).map { "\(count)-\(number)-\($0)" }
                let operations = names.map { RecordOperation(.create, Record($0, type: "N")) }
                let request = try process.requests.make(.recordsModify, ModifyRequest(operations: operations, zoneID: zone), id: "op-\(count)-\(number)")
                return (names, { try RecordsResponse(decoding: try await client.send(request).body).records })
            }
            for number in 1..<count { #expect(try await request(number, to: first).answer().allSatisfy { $0.error == nil }) }
            await #expect(throws: (any Error).self) { try await request(count, to: first).answer() }
            expectKilled(first)
            // A commit that was asked for may still be on its way when the process is gone; the retry waits for its locks.
            let (names, answer) = try request(count, to: second)
            #expect(try await answer().allSatisfy { $0.error == nil })
            let all = try await second.names(client, zone)
            #expect(Set(names).isSubset(of: all) && Set(all).count == all.count)
        }
        #expect(try await second.names(client, zone).count == 10)
        try expectSound(first, second)
    }

    @Test(arguments: ["renaming", "renamed"])
    func `a process killed around the renaming of a file: the file comes again to another process, and a record may name it`(point: String) async throws {
        let (first, second, client) = try await pair()
        try first.start(environment: ["SLUICE_FAILPOINT": "\(point):1"])
        let bytes = Data("the file of \(point)".utf8)
        func upload(to process: ServiceProcess) async throws -> Asset {
            let place = AssetPlace(recordName: nil, recordType: "Photo", fieldName: "image")
            let answer = try await client.send(process.requests.make(.assetsUpload, AssetUploadRequest([place], zoneID: zone)))
            let link = try AssetUploadResponse(decoding: answer.body).tokens[0].url
            let url = try #require(URL(string: link, relativeTo: URL(string: "https://127.0.0.1:\(process.port)")))
            return try AssetReceipt(decoding: try await client.send(HTTPClientRequest(.post, url.absoluteURL, headers: [], body: bytes)).body).singleFile
        }
        await #expect(throws: (any Error).self) { try await upload(to: first) }
        expectKilled(first)
        let record = Record("photo", type: "Photo", fields: ["image": Field(.asset(try await upload(to: second)))])
        let body = ModifyRequest(operations: [RecordOperation(.create, record)], zoneID: zone)
        let written = try RecordsResponse(decoding: try await client.send(second.requests.make(.recordsModify, body)).body).records
        #expect(written.allSatisfy { $0.error == nil })
        // The killed process comes back to the same folder and gives out what the other one took.
        try first.start()
        let found = try await client.send(first.requests.make(.recordsLookup, LookupRequest(recordNames: ["photo"], zoneID: zone)))
        guard case .asset(let asset)? = try RecordsResponse(decoding: found.body).records[0].record?.fields["image"]?.value else {
            Issue.record("no file in \(String(decoding: found.body, as: UTF8.self))")
            return
        }
        let url = try #require(asset.downloadURL.flatMap { URL(string: $0, relativeTo: URL(string: "https://127.0.0.1:\(first.port)")) })
        #expect(try await client.send(HTTPClientRequest(.get, url.absoluteURL, headers: [], body: nil)).body == bytes)
        #expect(first.end(SIGTERM) == 0)
        try expectSound(first, second)
    }
}
