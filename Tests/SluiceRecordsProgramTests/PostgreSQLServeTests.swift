import Foundation
import Glibc
import PostgreSQLFixture
import SluiceHTTPClient
import SluiceRecords
import Testing

/// The program on a PostgreSQL server: several processes, kills of them and of the server (invariants I-1 and I-2 on the service's side).
@Suite(.serialized, .timeLimit(.minutes(60))) struct PostgreSQLServeTests {
    private let zone = ZoneID("Notes")

    /// A service in a database of its own, two processes of it running, and a client.
    private func pair(on cluster: PostgreSQLCluster) throws -> (first: ServiceProcess, second: ServiceProcess, client: HTTPClient) {
        let first = try ServiceProcess(storage: cluster.target(cluster.makeDatabase()))
        let second = ServiceProcess(beside: first)
        try first.start()
        try second.start()
        return (first, second, try first.makeClient())
    }

    private func changes(_ process: ServiceProcess, _ client: HTTPClient) async throws -> DatabaseChangesResponse {
        try DatabaseChangesResponse(decoding: try await client.send(process.requests.make(.databaseChanges, DatabaseChangesRequest())).body)
    }

    @Test func `a write at one process ends the long poll at the other`() async throws {
        let (first, second, client) = try pair(on: try PostgreSQLCluster.shared.get())
        try await first.makeZone(client, zone)
        var token = try await changes(second, client).syncToken
        for round in 0..<5 {
            let waiting = Task { [token, requests = second.requests] in
                let request = DatabaseChangesRequest(syncToken: token, waitSeconds: 15)
                let start = ContinuousClock.now
                let answer = try DatabaseChangesResponse(decoding: try await client.send(requests.make(.databaseChanges, request)).body)
                return (answer, ContinuousClock.now - start)
            }
            let operations = [RecordOperation(.create, Record("r\(round)", type: "N"))]
            let answer = try await client.send(first.requests.make(.recordsModify, ModifyRequest(operations: operations, zoneID: zone)))
            #expect(answer.status == 200)
            let (response, time) = try await waiting.value
            #expect(response.zones.map(\.zoneID.zoneName) == ["Notes"])
            // Without a word of the other process it would take the whole wait, or until somebody looks.
            #expect(time < .seconds(15))
            token = response.syncToken
        }
        #expect(first.end(SIGTERM) == 0 && second.end(SIGTERM) == 0)
    }

    @Test func `one operation sent to both processes at once has its effect once`() async throws {
        let (first, second, client) = try pair(on: try PostgreSQLCluster.shared.get())
        try await first.makeZone(client, zone)
        for round in 0..<10 {
            let body = ModifyRequest(operations: [RecordOperation(.create, Record("r\(round)", type: "N"))], zoneID: zone)
            let requests = try [first, second].map { try $0.requests.make(.recordsModify, body, id: "op-\(round)") }
            let answers = try await withThrowingTaskGroup(of: HTTPClientResponse.self) { group in
                for request in requests { group.addTask { try await client.send(request) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let records = try answers.map { try RecordsResponse(decoding: $0.body).records[0] }
            #expect(records.allSatisfy { $0.error == nil } && records[0].record?.changeTag == records[1].record?.changeTag)
        }
        #expect(try await second.names(client, zone).count == 10)
    }

    @Test func `kill -9 of one of two processes under load: nothing acknowledged is missing, and its retries at the other have their effect once`() async throws {
        let (first, second, client) = try pair(on: try PostgreSQLCluster.shared.get())
        for (round, moment) in KillMoment.all(of: "one of two services").enumerated() {
            let zone = ZoneID("Round\(round)")
            if !first.process.isRunning { try first.start() }
            try await first.makeZone(client, zone)
            let pid = first.process.processIdentifier
            let (acknowledged, unanswered) = try await first.writeUntilGone(client, zone: zone, batches: moment.batches) {
                usleep(moment.microseconds)
                kill(pid, SIGKILL)
            }
            first.process.waitUntilExit()
            #expect(!unanswered.isEmpty)
            for var request in unanswered {
                request.url = try #require(URL(string: "https://127.0.0.1:\(second.port)\(request.url.path)"))
                let records = try RecordsResponse(decoding: try await client.send(request).body).records
                #expect(records.allSatisfy { $0.error == nil })
            }
            let all = try await second.names(client, zone)
            #expect(Set(acknowledged).subtracting(all).isEmpty)
            #expect(all.count == acknowledged.count + 5 * unanswered.count && Set(all).count == all.count)
        }
    }

    @Test func `kill -9 of PostgreSQL under load: writers that repeat themselves lose nothing and double nothing`() async throws {
        // A server of its own: the others' tests go on.
        let cluster = try PostgreSQLCluster()
        let (first, second, client) = try pair(on: cluster)
        try await first.makeZone(client, zone)
        let writers = StubbornWriters([first.requests, second.requests], client, zone)
        let moments = KillMoment.all(of: "PostgreSQL")
        let names = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<8 { group.addTask { try await writers.write(number) } }
            for moment in moments {
                try await writers.waitForMore(moment.batches)
                try await Task.sleep(for: .microseconds(moment.microseconds))
                try cluster.kill()
                try cluster.start()
            }
            try await writers.waitForMore(20)
            writers.end()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let found = try await second.names(client, zone)
        #expect(names.count >= moments.map(\.batches).reduce(20, +) * 5 && found.count == names.count && Set(found) == Set(names))
        let check = try ServiceProcess.run(["check", "--data", first.data, "--storage", try #require(first.storage)])
        #expect(check.status == 0, "\(check)")
        #expect(first.end(SIGTERM) == 0 && second.end(SIGTERM) == 0)
    }

    @Test func `a database restored from an older copy is noticed: at once after new-epoch, by the nonces without it`() async throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let database = try cluster.makeDatabase()
        let service = try ServiceProcess(storage: cluster.target(database))
        try service.start()
        let client = try service.makeClient()
        try await service.makeZone(client, zone)
        func write(_ name: String) async throws {
            let body = ModifyRequest(operations: [RecordOperation(.create, Record(name, type: "N"))], zoneID: zone)
            #expect(try await client.send(service.requests.make(.recordsModify, body)).status == 200)
        }
        func page(_ token: String?) async throws -> (token: String?, code: ServerErrorCode?) {
            let body = ZoneChangesRequest(zones: [.init(zone, syncToken: token)])
            let response = try ZoneChangesResponse(decoding: try await client.send(service.requests.make(.zoneChanges, body)).body)
            switch response.zones[0] {
            case .changes(let page): return (page.syncToken, nil)
            case .failure(_, let error): return (nil, error.code)
            }
        }
        try await write("kept")
        let kept = try await page(nil).token
        let dump = try cluster.run("pg_dump", ["--clean", "--if-exists"], database: database)
        try await write("lost")
        let lost = try await page(nil).token
        #expect(service.end(SIGTERM) == 0)
        try cluster.run("psql", [], database: database, input: "SET client_min_messages = warning;\n" + dump)
        try service.start()
        // Its entry is not there, nor, once somebody has written, the same one.
        #expect(try await page(lost).code == .changeTokenExpired)
        try await write("other")
        #expect(try await page(lost).code == .changeTokenExpired)
        #expect(try await page(kept).code == nil)
        let storage = try #require(service.storage)
        #expect(try ServiceProcess.run(["new-epoch", "--storage", storage]).status == 0)
        #expect(try await page(kept).code == .changeTokenExpired)
        #expect(try await page(nil).code == nil)
    }

    @Test func `every command finds its service in the database, and says what is not there`() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let service = try ServiceProcess(storage: cluster.target(cluster.makeDatabase()))
        let storage = try #require(service.storage)
        let place = ["--data", service.data, "--storage", storage]
        func run(_ arguments: [String]) throws -> ServiceProcess.Result { try ServiceProcess.run(arguments + place) }
        #expect(try run(["init"]).status == 73)
        #expect(try run(["token", "list"]).output.contains("ann"))
        #expect(try run(["token", "revoke", "2"]).status == 0)
        #expect(try run(["stats", "--json"]).output.contains(#""user":"ann""#))
        let check = try run(["check"])
        #expect(check.status == 0 && check.errors.contains("1 databases"), "\(check)")
        #expect(try run(["gc"]).status == 0)
        #expect(try run(["container", "list"]).output.contains("iCloud.test"))
        #expect(try run(["user", "list"]).output.contains("ann"))
        let scope = ["--container", "iCloud.test", "--environment", "development"]
        #expect(try run(["zone", "list", "--user", "ann"] + scope).output.contains("_defaultZone"))
        #expect(try run(["zone", "delete", "Nothing", "--user", "ann"] + scope).status == 66)
        #expect(try run(["user", "revoke", "--user", "ann"] + scope).status == 0)
        let backup = try run(["backup", "--to", service.folder.path + "/copy"])
        #expect(backup.status == 69 && backup.errors.contains("pg_dump") && backup.errors.contains("new-epoch"))
        let empty = cluster.target(try cluster.makeDatabase())
        for command in [["token", "list"], ["stats"], ["check"], ["new-epoch"]] {
            let missing = try ServiceProcess.run(command + ["--storage", empty] + (command == ["check"] ? ["--data", service.data] : []))
            #expect(missing.status == 66 && missing.errors.contains("init --storage"), "\(missing)")
        }
        let secret = try ServiceProcess.run(["stats", "--storage", "postgresql://ann:s3cret@localhost/db"])
        #expect(secret.status == 64 && secret.errors.contains("passfile") && !secret.errors.contains("s3cret"), "\(secret)")
    }

    @Test func `files of two services do not come into one folder`() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let service = try ServiceProcess(storage: cluster.target(cluster.makeDatabase()))
        #expect(try ServiceProcess.run(["gc", "--data", service.data, "--storage", try #require(service.storage)]).status == 0)
        let other = cluster.target(try cluster.makeDatabase())
        #expect(try ServiceProcess.run(["init", "--storage", other]).status == 0)
        let foreign = try ServiceProcess.run(["gc", "--data", service.data, "--storage", other])
        #expect(foreign.status == 74 && foreign.errors.contains("files of another service"))
        let embedded = try ServiceProcess()
        let mixed = try ServiceProcess.run(["gc", "--data", embedded.data, "--storage", other])
        #expect(mixed.status == 73 && mixed.errors.contains("embedded service"))
    }

    @Test func `the setup script makes a role whose password is in its file only`() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("setup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Deploy/postgresql-setup.sh").standardized.path
        let file = folder.appendingPathComponent("passfile").path
        process.arguments = [script, "--passfile", file, "--database", "setup_\(UInt32.random(in: .min ... .max))"]
        process.environment = ProcessInfo.processInfo.environment.merging(["PGHOST": cluster.folder, "PGPORT": "5432", "PGUSER": "sluice"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let storage = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).trimmingCharacters(in: .newlines)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let password = try #require(String(contentsOfFile: file, encoding: .utf8).split(separator: ":").last).trimmingCharacters(in: .newlines)
        #expect(password.count == 48 && !storage.contains(password))
        #expect(try !String(contentsOfFile: cluster.folder + "/server.log", encoding: .utf8).contains(password))
        #expect(try ServiceProcess.run(["init", "--storage", storage]).status == 0)
        #expect(try ServiceProcess.run(["token", "list", "--storage", storage]).status == 0)
        try FileManager.default.removeItem(atPath: file)
        let locked = try ServiceProcess.run(["token", "list", "--storage", storage])
        #expect(locked.status == 74 && locked.errors.contains("password"), "\(locked)")
    }
}
