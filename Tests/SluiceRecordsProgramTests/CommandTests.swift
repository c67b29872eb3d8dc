import Foundation
import Glibc
import SluiceHTTPClient
import SluiceRecords
import Testing

@Suite struct CommandTests {
    @Test func `init and dev-cert make files that only their owner may read, once`() throws {
        let service = try ServiceProcess()
        let mode = { (name: String) in
            try FileManager.default.attributesOfItem(atPath: service.folder.appendingPathComponent(name).path)[.posixPermissions] as? Int
        }
        #expect(try mode("data") == 0o700)
        for name in ["ca.key", "server.key"] { #expect(try mode(name) == 0o600) }
        let again = try ServiceProcess.run(["init", "--data", service.data])
        #expect(again.status == 73 && again.errors.contains("holds a record service already"))
        #expect(try ServiceProcess.run(["dev-cert", "--out", service.folder.path]).status == 73)
    }

    @Test func `tokens are printed once, listed without their text, and revoked once`() throws {
        let service = try ServiceProcess()
        #expect(service.userToken.hasPrefix("slu1_"))
        let list = try ServiceProcess.run(["token", "list", "--data", service.data])
        #expect(list.output.contains("ann") && list.output.contains("iCloud.test") && !list.output.contains(service.userToken))
        let json = try ServiceProcess.run(["token", "list", "--json", "--data", service.data]).output.split(separator: "\n")
        #expect(json.count == 2 && json[1].contains(#""kind":"user""#) && json[1].contains(#""state":"valid""#))
        #expect(try ServiceProcess.run(["token", "revoke", "2", "--data", service.data]).status == 0)
        #expect(try ServiceProcess.run(["token", "revoke", "2", "--data", service.data]).status == 66)
        #expect(try ServiceProcess.run(["token", "list", "--data", service.data]).output.contains("revoked"))
    }

    @Test func `keys are written for their owner only, taken in by their public half, listed, and revoked once`() throws {
        let service = try ServiceProcess()
        let scope = ["--data", service.data, "--container", "iCloud.test", "--environment", "development"]
        let file = service.folder.appendingPathComponent("program.pem").path
        let made = try ServiceProcess.run(["key", "create", "--out", file, "--user", "ann", "--holder", "program"] + scope)
        #expect(made.status == 0 && made.output.count == 65)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----") && !(made.output + made.errors).contains("PRIVATE"))
        // The file that is there is somebody's key.
        #expect(try ServiceProcess.run(["key", "create", "--out", file, "--user", "ann"] + scope).status == 73)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        let publicKey = try ServiceProcess.run(program: "/usr/bin/openssl", ["pkey", "-in", file, "-pubout"]).output
        let publicFile = service.folder.appendingPathComponent("public.pem").path
        try Data(publicKey.utf8).write(to: URL(fileURLWithPath: publicFile))
        let twice = try ServiceProcess.run(["key", "add", publicFile, "--user", "bob"] + scope)
        #expect(twice.status == 73 && twice.errors.contains("known already"))
        let wrong = try ServiceProcess.run(["key", "add", service.folder.appendingPathComponent("ca.pem").path, "--user", "bob"] + scope)
        #expect(wrong.status == 65 && wrong.errors.contains("not a public key"))
        let list = try ServiceProcess.run(["key", "list", "--data", service.data]).output
        #expect(list.contains(made.output.trimmingCharacters(in: .newlines)) && list.contains("program") && list.contains("valid"))
        #expect(try !ServiceProcess.run(["token", "list", "--data", service.data]).output.contains("program"))
        #expect(try ServiceProcess.run(["token", "revoke", "3", "--data", service.data]).status == 66)
        #expect(try ServiceProcess.run(["key", "revoke", "2", "--data", service.data]).status == 66)
        #expect(try ServiceProcess.run(["key", "revoke", "3", "--data", service.data]).status == 0)
        #expect(try ServiceProcess.run(["key", "revoke", "3", "--data", service.data]).status == 66)
        #expect(try ServiceProcess.run(["key", "list", "--json", "--data", service.data]).output.contains(#""state":"revoked""#))
    }

    @Test func `a schema is shown, deployed once what is new was shown, and never shrinks`() async throws {
        let service = try ServiceProcess()
        let scope = ["--data", service.data, "--container", "iCloud.test"]
        let deploy = ["schema", "deploy"] + scope
        #expect(try ServiceProcess.run(deploy).status == 66)
        #expect(try ServiceProcess.run(["schema", "show"] + scope).errors.contains("production takes every record"))
        try service.start()
        let client = try service.makeClient()
        try await service.makeZone(client)
        let record = Record("r", type: "Note", fields: ["title": Field(.string("x"))])
        let write = ModifyRequest(operations: [RecordOperation(.create, record)], zoneID: ZoneID("Notes"))
        #expect(try await client.send(service.requests.make(.recordsModify, write)).status == 200)
        #expect(try ServiceProcess.run(["schema", "show", "--environment", "development"] + scope).output == "Note\nNote.title STRING\n")
        let dry = try ServiceProcess.run(deploy + ["--dry-run"])
        #expect(dry.status == 0 && dry.output == "+ Note\n+ Note.title STRING\n" && dry.errors.contains("not deployed"))
        #expect(try ServiceProcess.run(["schema", "show"] + scope).output.isEmpty)
        #expect(try ServiceProcess.run(deploy).output == dry.output)
        let again = try ServiceProcess.run(deploy)
        #expect(again.status == 0 && again.output.isEmpty && again.errors.contains("production has all of it"))
        let json = try ServiceProcess.run(["schema", "show", "--json"] + scope).output
        #expect(json == #"{"field":"title","recordType":"Note","type":"STRING"}"# + "\n")
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `a backup is put back: not while somebody serves, not when it is damaged, and every device notices`() async throws {
        let service = try ServiceProcess()
        try service.start()
        let client = try service.makeClient()
        try await service.makeZone(client)
        func write(_ client: HTTPClient, _ name: String) async throws {
            let write = ModifyRequest(operations: [RecordOperation(.create, Record(name, type: "Note"))], zoneID: ZoneID("Notes"))
            #expect(try await client.send(service.requests.make(.recordsModify, write)).status == 200)
        }
        try await write(client, "kept")
        let backup = service.folder.appendingPathComponent("backup").path
        #expect(try ServiceProcess.run(["backup", "--to", backup, "--data", service.data]).status == 0)
        try await write(client, "later")
        let changes = ZoneChangesRequest(zones: [.init(ZoneID("Notes"))])
        guard case .changes(let page) = try ZoneChangesResponse(decoding: try await client.send(service.requests.make(.zoneChanges, changes)).body).zones[0] else {
            throw CocoaError(.coderReadCorrupt)
        }
        let restore = ["restore", backup, "--data", service.data]
        let busy = try ServiceProcess.run(restore)
        #expect(busy.status == 75 && busy.errors.contains("served by another process"))
        #expect(service.end(SIGTERM) == 0)
        #expect(try ServiceProcess.run(["restore", service.folder.path, "--data", service.data]).status == 66)

        // A copy of the backup with a hole in it: everything stays as it was.
        let damaged = service.folder.appendingPathComponent("damaged").path
        try FileManager.default.copyItem(atPath: backup, toPath: damaged)
        let hole = try FileHandle(forWritingTo: URL(fileURLWithPath: damaged + "/records.sqlite"))
        try hole.seek(toOffset: 8_192)
        try hole.write(contentsOf: Data(repeating: 0xA5, count: 12_288))
        try hole.close()
        let refused = try ServiceProcess.run(["restore", damaged, "--data", service.data])
        #expect([65, 74].contains(refused.status), "\(refused.status) \(refused.errors)")
        try service.start()
        #expect(try await service.names(try service.makeClient()).sorted() == ["kept", "later"])
        #expect(service.end(SIGTERM) == 0)

        // An attempt that was cut off has left its copy.
        try FileManager.default.createDirectory(atPath: service.data + "/restoring/assets", withIntermediateDirectories: true)
        let done = try ServiceProcess.run(restore)
        #expect(done.status == 0 && done.errors.contains("1 records") && done.errors.contains("before-restore-"), "\(done.errors)")
        #expect(!FileManager.default.fileExists(atPath: service.data + "/restoring"))
        try service.start()
        let again = try service.makeClient()
        #expect(try await service.names(again) == ["kept"])
        let stale = ZoneChangesRequest(zones: [.init(ZoneID("Notes"), syncToken: page.syncToken)])
        guard case .failure(_, let error) = try ZoneChangesResponse(decoding: try await again.send(service.requests.make(.zoneChanges, stale)).body).zones[0] else {
            return #expect(Bool(false), "a token of the old timeline was taken")
        }
        #expect(error.code == .changeTokenExpired && error.epoch == nil)
        #expect(service.end(SIGTERM) == 0)
        // A new machine: there is nothing to keep.
        let fresh = service.folder.appendingPathComponent("fresh").path
        let first = try ServiceProcess.run(["restore", backup, "--data", fresh])
        #expect(first.status == 0 && !first.errors.contains("before-restore"))
        #expect(try ServiceProcess.run(["check", "--data", fresh]).status == 0)
    }

    @Test(arguments: [
        (["serve"], 64, "--certificate"), (["serve", "--config", "a", "--key", "b"], 64, "--config"),
        (["serve", "--config", "/nonexistent.yaml"], 78, "/nonexistent.yaml"), (["serve", "--port", "70000", "--certificate", "a", "--key", "b"], 64, "a port is 0 to 65535"),
        (["token", "issue"], 64, "--user NAME or --api"), (["token", "issue", "--user", "a", "--api"], 64, "--user NAME or --api"),
        (["key", "create", "--user", "a"], 64, "--out"), (["key", "add", "/nonexistent", "--user", "a"], 66, "/nonexistent"),
        (["token", "issue", "--api", "--rotation", "strict"], 64, "--rotation"), (["token", "issue", "--user", "a", "--rotation", "often"], 64, "lenient"),
        (["sreve"], 64, "serve"), (["token", "list", "--data", "/nonexistent"], 66, "sluice-records init"),
        (["serve", "--data", "/nonexistent", "--certificate", "/nonexistent", "--key", "b"], 66, "/nonexistent"),
        (["dev-cert", "--out", "/tmp", "bad name"], 70, "no host name"),
    ] as [([String], Int32, String)])
    func `a mistake is told with its exit code and what to do`(arguments: [String], status: Int32, text: String) throws {
        let result = try ServiceProcess.run(arguments)
        #expect(result.status == status)
        #expect(result.errors.contains(text))
        #expect(result.output.isEmpty)
    }

    @Test func `help names every option`() throws {
        let help = try ServiceProcess.run(["serve", "--help"])
        #expect(help.status == 0)
        for option in ["--config", "--data", "--address", "--port", "--certificate", "--key", "--public-url"] {
            #expect(help.output.contains(option))
        }
    }
}
