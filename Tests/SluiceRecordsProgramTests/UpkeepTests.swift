import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

/// What an operator does with a service's data, beside a running service.
@Suite(.serialized) struct UpkeepTests {
    private let zone = ZoneID("Files")

    private func ask<Answer: WireDecodable>(
        _ service: ServiceProcess, _ client: HTTPClient, _ endpoint: Endpoint, _ body: some WireEncodable, _ type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let response = try await client.send(service.requests.make(endpoint, body))
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return try Answer(decoding: response.body)
    }

    private func upload(_ service: ServiceProcess, _ client: HTTPClient, _ bytes: Data) async throws -> Asset {
        let request = AssetUploadRequest([AssetPlace(recordName: nil, recordType: "Photo", fieldName: "image")], zoneID: zone)
        let tokens = try await ask(service, client, .assetsUpload, request, AssetUploadResponse.self).tokens
        let url = try #require(URL(string: tokens[0].url))
        let response = try await client.send(HTTPClientRequest(.post, url, headers: [], body: bytes))
        return try AssetReceipt(decoding: response.body).singleFile
    }

    /// A running service with two records, one of them with a file, and a file without a record.
    private func serve() async throws -> (ServiceProcess, HTTPClient) {
        let service = try ServiceProcess()
        try service.start()
        let client = try service.makeClient()
        let zones = ZonesModifyRequest(operations: [ZoneOperation(.create, zone)])
        #expect(try await client.send(service.requests.make(.zonesModify, zones)).status == 200)
        let image = try await upload(service, client, Data("image".utf8))
        _ = try await upload(service, client, Data("unused".utf8))
        let records = [Record("a", type: "Photo", fields: ["image": Field(.asset(image))]), Record("b", type: "Note", fields: ["n": Field(.int64(1))])]
        let request = ModifyRequest(operations: records.map { RecordOperation(.create, $0) }, zoneID: zone)
        let written = try await ask(service, client, .recordsModify, request, RecordsResponse.self)
        #expect(written.records.allSatisfy { $0.error == nil })
        return (service, client)
    }

    private func files(_ service: ServiceProcess) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: service.data + "/assets").filter { $0.split(separator: "/").count == 3 }.sorted()
            .map { service.data + "/assets/" + $0 }
    }

    @Test func `stats counts what each user keeps, and check finds nothing wrong`() async throws {
        let (service, _) = try await serve()
        let table = try ServiceProcess.run(["stats", "--data", service.data])
        #expect(table.status == 0 && table.output.contains("USER") && table.output.contains("ann") && table.output.contains("iCloud.test"))
        let json = try ServiceProcess.run(["stats", "--json", "--data", service.data]).output
        #expect(json.contains(#""user":"ann""#) && json.contains(#""files":2"#) && json.contains(#""fileBytes":11"#) && json.contains(#""name":"Files""#))
        #expect(json.split(separator: "\n").count == 1)
        let check = try ServiceProcess.run(["check", "--data", service.data])
        #expect(check.status == 0 && check.output.isEmpty && check.errors.contains("1 databases, 2 records and 2 files"), "\(check)")
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `check names what is damaged: bytes, sizes, lost files, and rows that do not fit`() async throws {
        let (service, _) = try await serve()
        #expect(service.end(SIGTERM) == 0)
        let paths = try files(service)
        let bytes = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        func check(_ options: [String] = []) throws -> (Int32, [Substring]) {
            let result = try ServiceProcess.run(["check", "--data", service.data] + options)
            return (result.status, result.output.split(separator: "\n"))
        }
        var other = bytes[0]
        other[0] ^= 1
        try other.write(to: URL(fileURLWithPath: paths[0]))
        let (status, lines) = try check()
        #expect(status == 65 && lines.count == 1 && lines[0].contains("ann in iCloud.test, development: file") && lines[0].contains("other bytes"))
        #expect(try check(["--quick"]).0 == 0)
        try FileManager.default.removeItem(atPath: paths[0])
        #expect(try check(["--quick"]).1.first?.contains("is not there") == true)
        try bytes[0].write(to: URL(fileURLWithPath: paths[0]))
        #expect(try check().0 == 0)
        for (change, undo, word) in [
            ("UPDATE head SET bytes = bytes + 5", "UPDATE head SET bytes = bytes - 5", "quota"),
            ("UPDATE asset SET uses = uses + 1", "UPDATE asset SET uses = uses - 1", "refer to it"),
            ("UPDATE record SET fields = x'7B'  || fields WHERE name = 'b'", "UPDATE record SET fields = substr(fields, 2) WHERE name = 'b'", "cannot be read"),
            ("UPDATE zone SET sequence = sequence - 1 WHERE name = 'Files'", "UPDATE zone SET sequence = sequence + 1 WHERE name = 'Files'", "version"),
            ("UPDATE asset_use SET record = 'b'", "UPDATE asset_use SET record = 'a'", "kept for it"),
        ] {
            try sqlite(change, service)
            let (status, lines) = try check()
            #expect(status == 65 && lines.contains { $0.contains(word) }, "\(word): \(lines)")
            try sqlite(undo, service)
        }
        #expect(try check().0 == 0)
    }

    /// As a person would: through the shell of SQLite.
    private func sqlite(_ statement: String, _ service: ServiceProcess) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = [service.data + "/records.sqlite", statement]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `gc removes what is past its time, beside a running service, and nothing younger`() async throws {
        let (service, client) = try await serve()
        let stray = service.data + "/assets/1/ab"
        try FileManager.default.createDirectory(atPath: stray, withIntermediateDirectories: true)
        let forgotten = stray + "/" + String(repeating: "ab", count: 16)
        try Data("stray".utf8).write(to: URL(fileURLWithPath: forgotten))
        try Data("coming".utf8).write(to: URL(fileURLWithPath: service.data + "/assets/incoming/7"))
        let first = try ServiceProcess.run(["gc", "--data", service.data])
        #expect(first.status == 0 && first.errors.contains("0 files"))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: forgotten)
        try sqlite("UPDATE asset SET touched = touched - 90000000", service)
        let second = try ServiceProcess.run(["gc", "--data", service.data])
        #expect(second.errors.contains("2 files"), "\(second.errors)")
        #expect(!FileManager.default.fileExists(atPath: forgotten))
        // A file on its way to the running service is none of its business.
        #expect(FileManager.default.fileExists(atPath: service.data + "/assets/incoming/7"))
        let found = try await ask(service, client, .recordsLookup, LookupRequest(recordNames: ["a"], zoneID: zone), RecordsResponse.self)
        guard case .asset(let asset)? = found.records[0].record?.fields["image"]?.value else { return #expect(Bool(false)) }
        let url = try #require(asset.downloadURL.flatMap(URL.init(string:)))
        #expect(try await client.send(HTTPClientRequest(.get, url, headers: [], body: nil)).body == Data("image".utf8))
        #expect(try ServiceProcess.run(["check", "--data", service.data]).status == 0)
        #expect(try ServiceProcess.run(["gc", "--grace", "10m", "--data", service.data]).status == 64)
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `a backup of a running service is a service's data, and is made whole or not at all`() async throws {
        let (service, client) = try await serve()
        let copy = service.folder.appendingPathComponent("copy").path
        let epoch = try await ask(service, client, .databaseChanges, DatabaseChangesRequest(), DatabaseChangesResponse.self).epoch
        let made = try ServiceProcess.run(["backup", "--data", service.data, "--to", copy])
        #expect(made.status == 0 && made.output == copy + "\n" && made.errors.contains("2 files"), "\(made)")
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(try ServiceProcess.run(["backup", "--data", service.data, "--to", copy]).status == 73)
        #expect(try ServiceProcess.run(["backup", "--data", "/nonexistent", "--to", copy + "2"]).status == 66)
        // What comes later is in the service and not in the copy.
        let late = ModifyRequest(operations: [RecordOperation(.create, Record("late", type: "Note"))], zoneID: zone)
        #expect(try await client.send(service.requests.make(.recordsModify, late)).status == 200)
        #expect(try ServiceProcess.run(["check", "--data", copy]).status == 0)
        #expect(service.end(SIGTERM) == 0)
        try service.start([
            "--data", copy, "--port", "0", "--certificate", service.folder.appendingPathComponent("server.pem").path, "--key",
            service.folder.appendingPathComponent("server.key").path,
        ])
        let request = LookupRequest(recordNames: ["a", "late"], zoneID: zone)
        let found = try await ask(service, client, .recordsLookup, request, RecordsResponse.self)
        #expect(found.records[1].error?.code == .notFound)
        // A timeline of its own: every device notices that it was put back, whatever it has seen.
        let other = try await ask(service, client, .databaseChanges, DatabaseChangesRequest(), DatabaseChangesResponse.self).epoch
        #expect(epoch != nil && other != nil && epoch != other)
        guard case .asset(let asset)? = found.records[0].record?.fields["image"]?.value else { return #expect(Bool(false)) }
        let url = try #require(asset.downloadURL.flatMap(URL.init(string:)))
        #expect(try await client.send(HTTPClientRequest(.get, url, headers: [], body: nil)).body == Data("image".utf8))
        #expect(service.end(SIGTERM) == 0)
        // A file that a record needs is gone: no half of a copy stays.
        for path in try files(service) { try FileManager.default.removeItem(atPath: path) }
        let broken = try ServiceProcess.run(["backup", "--data", service.data, "--to", copy + "3"])
        #expect(broken.status == 74 && broken.errors.contains("sluice-records check"))
        let left = try FileManager.default.contentsOfDirectory(atPath: service.folder.path).filter { $0.hasPrefix("copy") }
        #expect(left == ["copy"])
    }

    @Test func `containers, users and zones are listed; a user is locked out and a zone deleted, while the service runs`() async throws {
        let (service, client) = try await serve()
        let scope = ["--data", service.data, "--container", "iCloud.test", "--environment", "development"]
        let containers = try ServiceProcess.run(["container", "list", "--json", "--data", service.data]).output
        #expect(containers.contains(#""container":"iCloud.test""#) && containers.contains(#""users":1"#) && containers.contains(#""records":2"#))
        #expect(try ServiceProcess.run(["container", "list", "--data", service.data]).output.contains("development"))
        let users = try ServiceProcess.run(["user", "list", "--json", "--data", service.data]).output
        #expect(users.contains(#""user":"ann""#) && users.contains(#""tokens":1"#) && !users.contains(service.userToken))
        let zones = try ServiceProcess.run(["zone", "list", "--user", "ann", "--json"] + scope).output
        #expect(zones.split(separator: "\n").count == 2 && zones.contains(#""zone":"Files""#))
        #expect(try ServiceProcess.run(["zone", "list", "--user", "bob"] + scope).status == 66)
        #expect(try ServiceProcess.run(["zone", "list", "--user", "ann", "--data", service.data, "--container", "iCloud.test"]).status == 66)

        let before = try await ask(service, client, .databaseChanges, DatabaseChangesRequest(), DatabaseChangesResponse.self)
        #expect(try ServiceProcess.run(["zone", "delete", "Gone", "--user", "ann"] + scope).status == 66)
        #expect(try ServiceProcess.run(["zone", "delete", "_defaultZone", "--user", "ann"] + scope).status == 66)
        let deleted = try ServiceProcess.run(["zone", "delete", "Files", "--reason", "purged", "--user", "ann"] + scope)
        #expect(deleted.status == 0 && deleted.errors.contains("with 2 records"), "\(deleted)")
        let after = try await ask(service, client, .databaseChanges, DatabaseChangesRequest(syncToken: before.syncToken), DatabaseChangesResponse.self)
        #expect(after.zones.map(\.isDeleted) == [true] && after.zones.map(\.deletionReason) == [.purged])
        #expect(try ServiceProcess.run(["check", "--data", service.data]).status == 0)

        let revoked = try ServiceProcess.run(["user", "revoke", "--user", "ann"] + scope)
        #expect(revoked.status == 0 && revoked.errors.contains("1 tokens"))
        #expect(try await client.send(service.requests.make(.zonesList, DatabaseChangesRequest())).status == 421)
        #expect(try ServiceProcess.run(["user", "revoke", "--user", "bob"] + scope).status == 66)
        #expect(try ServiceProcess.run(["user", "list", "--json", "--data", service.data]).output.contains(#""tokens":0"#))
        #expect(service.end(SIGTERM) == 0)
    }
}
