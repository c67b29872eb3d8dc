import Foundation
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
