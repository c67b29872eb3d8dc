import Foundation
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceConfiguration

@Suite struct AccountConfigurationTests {
    private let environment = ConfigurationEnvironment(variables: ["HOME": "/home/ann"])

    /// A configuration folder with the sample schema and a token.
    private func configuration() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("schemas/shopping/1.0.0.yaml", sample("schemas/shopping/1.0.0.yaml"))
        try folder.write("credentials/sample-user-token", "abc\n")
        return folder
    }

    private let smallest = """
        service: {url: "https://records.example", container: shop}
        schema: {path: ../schemas/shopping}
        local: {group: shop}
        """

    @Test func `the sample says what its comments say`() throws {
        let folder = try configuration()
        let account = try AccountConfiguration.load(folder.write("accounts.d/sample.yaml", sample("accounts.d/sample.yaml")), environment)
        #expect(account.name == "sample")
        #expect(account.service.url.absoluteString == "https://localhost:8443")
        #expect(account.service.environment == .development)
        #expect(account.credentials.userToken == .file(folder.path + "/credentials/sample-user-token"))
        #expect(account.credentials.apiToken == nil)
        #expect(account.synced.entities == ["ShoppingItem": .init(identity: ["id"], conflicts: .latestEdit, fields: ["name": .serverWins, "quantity": .counter], deletions: .deleteWins)])
        #expect(account.local.projections.map(\.entity) == ["ShoppingList", "ShoppingItem"])
        let items = account.local.projections[1]
        #expect(items.condition == "isChecked == false")
        #expect(items.order == [.init(field: "createdAt", isDescending: true), .init(field: "name", isDescending: false)])
        #expect(items.limit == 1000)
        #expect(items.fields == ["name", "quantity", "createdAt", "list"])
        #expect(
            items.derived == [.init(name: "listTitle", expression: "list.title"), .init(name: "othersInList", expression: "count(list.items)")])
        #expect(items.freshness == .seconds(3_600))
        #expect(account.legacy.sources.map(\.path) == ["/srv/old-app/default.store"] && account.legacy.sources[0].kind == .auto)
        #expect(account.legacy.keep == .seconds(30 * 86_400))
    }

    @Test func `what is not said has the documented default`() throws {
        let folder = try configuration()
        let account = try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", smallest), environment)
        #expect(account.service.environment == .production)
        #expect(account.service.proxy == .environment)
        #expect(account.synced.stateDirectory == "/home/ann/.local/state/sluice/ann")
        #expect(account.controlSocketPath == "/home/ann/.local/state/sluice/ann/control.sock")
        #expect(account.local.groupDirectory == "/home/ann/.local/share/sluice/groups/shop")
        #expect(account.schedule == ScheduleConfiguration(poll: .seconds(300), pushDelay: .milliseconds(250)))
        #expect(account.historyRetention == .seconds(30 * 86_400))
        guard case .versions(let versions) = account.schema else { throw POSIXError(.EINVAL) }
        #expect(account.zone(for: versions[0].schema) == "shopping")
        let unit = ConfigurationEnvironment(variables: ["STATE_DIRECTORY": "/var/lib/sluice:/var/lib/sluice-groups"])
        let underSystemd = try AccountConfiguration.load(folder.path + "/accounts.d/ann.yaml", unit)
        #expect(underSystemd.synced.stateDirectory == "/var/lib/sluice/ann")
        #expect(underSystemd.local.groupDirectory == "/var/lib/sluice-groups/shop")
    }

    @Test func `a key that signs stands in the tokens' place, not beside them`() throws {
        let folder = try configuration()
        try folder.write("credentials/key.pem", "-----BEGIN PRIVATE KEY-----\nabc\n")
        let credentials = { (lines: String) in smallest + "\ncredentials: {\(lines)}" }
        let account = try AccountConfiguration.load(folder.write("accounts.d/a.yaml", credentials("serverKeyFile: ../credentials/key.pem")), environment)
        #expect(account.credentials.serverKey == .file(folder.path + "/credentials/key.pem") && account.credentials.userToken == nil)
        #expect(try account.credentials.serverKey?.text(environment) == "-----BEGIN PRIVATE KEY-----\nabc\n")
        let both = try folder.write("accounts.d/b.yaml", credentials("serverKeyFile: ../credentials/key.pem, userTokenCredential: x, apiTokenFile: ../credentials/sample-user-token"))
        let error = #expect(throws: ConfigurationError.self) { _ = try AccountConfiguration.load(both, environment) }
        #expect(error?.faults.count == 2)
        #expect(error?.faults.allSatisfy { $0.found.hasPrefix("`serverKeyFile` beside") } == true)
    }

    @Test func `all faults of a file are found at once, each with its place and what was probably meant`() throws {
        let folder = try configuration()
        try folder.write("credentials/open", "abc", mode: 0o644)
        let file = try folder.write(
            "accounts.d/ann.yaml",
            """
            servce: {}
            service:
              url: ftp://records.example
              container: ../x
              environment: dev
              environment: production
            credentials:
              userTokenFile: ../credentials/open
              apiTokenFile: ../../passwd
              apiTokenCredential: api
            schema:
              path: ../schemas/shoping
            local:
              group: shop
              projections:
                ShoppingItem: {limit: many}
            schedule:
              poll: 30
            retention: []
            """)
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        let name = "a name of letters, digits, `-`, `_` and `.` that does not begin with a dot"
        #expect(
            error?.description == """
                \(file):1:1: found unknown key `servce`; expected one of service, credentials, schema, synced, local, legacy, schedule, \
                retention. Did you mean `service`?
                \(file):3:8: found `ftp://records.example`; expected an https or http URL without user, password and query
                \(file):4:14: found `../x`; expected \(name)
                \(file):5:16: found `dev`; expected one of development, production
                \(file):6:3: found key `environment` again (first on line 5); expected each key once
                \(file):8:18: found `../credentials/open` with mode 644, which others may read; expected a secret of mode 600 or 400
                \(file):9:17: found `../../passwd`, which leads out of \(folder.path); expected a path inside it, or an absolute one
                \(file):10:23: found `apiTokenCredential` beside `apiTokenFile`; expected one of the two
                \(file):12:9: found `../schemas/shoping`, but there is no \(folder.path)/schemas/shoping (No such file or directory); \
                expected a file that exists
                \(file):16:27: found `many`; expected a whole number from 1 to 10000000
                \(file):18:9: found `30`; expected a duration from 1s to 1d, such as 250ms, 30s, 5m, 12h or 90d
                \(file):19:12: found a list of 0; expected a mapping of history
                """)
    }

    @Test func `what is required and missing is named where it belongs`() throws {
        let folder = try configuration()
        let file = try folder.write("accounts.d/ann.yaml", "service:\n  zone: a\nschema:\n  fromLegacy: false\n")
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        #expect(
            error?.faults.map(\.found) == [
                "no `local`", "no `url` in `service`", "no `container` in `service`", "no `path` in `schema`",
            ])
    }

    @Test func `pinned keys are sums in base64, as openssl prints them and as curl writes them`() throws {
        let sum = Data(repeating: 7, count: 32).base64EncodedString()
        let folder = try configuration()
        func load(_ keys: String) throws -> AccountConfiguration {
            let text = smallest.replacing("container: shop}", with: "container: shop, pinnedKeys: [\(keys)]}")
            return try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text), environment)
        }
        #expect(try load("\"\(sum)\", sha256//\(sum)").service.pinnedKeys == [sum, sum])
        let error = #expect(throws: ConfigurationError.self) { try load("\(sum.dropLast(4))") }
        #expect(error?.description.contains("SHA-256") == true)
    }

    @Test func `a client certificate needs its key, which nobody else may read, and a key its certificate`() throws {
        let folder = try configuration()
        try folder.write("credentials/client.pem", "certificate")
        try folder.write("credentials/client.key", "key")
        func load(_ credentials: String) throws -> AccountConfiguration {
            try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", "credentials: {\(credentials)}\n\(smallest)"), environment)
        }
        let certificate = "clientCertificateFile: ../credentials/client.pem"
        let key = "clientKeyFile: ../credentials/client.key"
        let client = try load("\(certificate), \(key)").credentials.client
        #expect(client?.certificateFile == folder.path + "/credentials/client.pem" && client?.key == .file(folder.path + "/credentials/client.key"))
        #expect(try load("\(certificate), clientKeyCredential: client").credentials.client?.key == .systemd("client"))
        for half in [certificate, key] {
            let error = #expect(throws: ConfigurationError.self) { try load(half) }
            #expect(error?.description.contains("in `credentials`") == true)
        }
        #expect(throws: ConfigurationError.self) { try load("\(certificate), \(key), clientKeyCredential: client") }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path + "/credentials/client.key")
        let error = #expect(throws: ConfigurationError.self) { try load("\(certificate), \(key)") }
        #expect(error?.description.contains("644") == true)
    }

    @Test func `names that the schema does not know are found, with the nearest one`() throws {
        let folder = try configuration()
        let file = try folder.write(
            "accounts.d/ann.yaml",
            smallest.replacingOccurrences(of: "{group: shop}", with: "\n  group: shop\n  projections:\n    ShopingItem: all\n")
                + "    ShoppingList:\n      fields: [titel]\n      order: [-createdAt]\n"
                + "synced:\n  entities:\n    ShoppingItem: {identity: [uuid]}\n")
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        #expect(error?.faults.map(\.found) == ["entity `ShopingItem`", "property `titel`", "property `uuid`"])
        #expect(error?.faults.map(\.suggestion) == ["ShoppingItem", "title", nil])
    }

    @Test func `a fault in an expression is reported at its letter, with the nearest name`() throws {
        let folder = try configuration()
        let file = try folder.write(
            "accounts.d/ann.yaml",
            smallest.replacingOccurrences(of: "{group: shop}", with: "") + """

              - group: shop
                projections:
                  ShoppingItem:
                    where: isChecked == false && nmae == 'x'
                    fields: [name, "list.titel as listTitle"]
                    order: [-list.createdAd]
                    derived:
                      many: count(list.items wher x)
                      late: createdAt > date('now')
                      sum: 'name + 1'
              - group: shop
            """)
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        #expect(
            error?.faults.map { "\($0.line):\($0.column) \($0.found)" } == [
                "7:38 property `nmae`", "8:30 property `titel`", "9:23 property `createdAd`", "11:34 `wher`", "12:29 `date(`",
                "13:17 name beside a text in quotes and a number", "14:5 group `shop` again",
            ])
        #expect(error?.faults.prefix(3).map(\.suggestion) == ["name", "title", "createdAt"])
    }

    @Test func `a derived name that is taken is a fault at its place`() throws {
        let folder = try configuration()
        let file = try folder.write(
            "accounts.d/ann.yaml",
            smallest.replacingOccurrences(
                of: "{group: shop}",
                with: "\n  group: shop\n  projections:\n    ShoppingItem:\n      fields: [list.title as name, list.title as once]\n"
                    + "      derived: {once: count(list.items), other: count(list.items)}\n"))
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        #expect(
            error?.faults.map(\.found) == ["the derived name `name`, which is taken", "the derived name `once`, which is taken"])
    }

    @Test func `an account fills several group containers, each by its own rules`() throws {
        let folder = try configuration()
        let text = smallest.replacingOccurrences(
            of: "{group: shop}",
            with: "[{group: shop, projections: {ShoppingItem: all}}, {group: kiosk, unixGroup: kiosk, groupsDirectory: /srv/groups}]")
        let account = try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text), environment)
        #expect(account.groups.map(\.groupDirectory) == ["/home/ann/.local/share/sluice/groups/shop", "/srv/groups/kiosk"])
        #expect(account.groups.map(\.projections.count) == [1, 0])
        #expect(account.local.group == "shop")
        // Of another account's containers neither may be used.
        let other = text.replacingOccurrences(of: "group: shop", with: "group: other").replacingOccurrences(of: "local:", with: "synced: {stateDirectory: /x}\nlocal:")
        try folder.write("accounts.d/bob.yaml", other)
        let accounts = try AccountConfiguration.loadAll(in: folder.path + "/accounts.d", environment)
        #expect(throws: ConfigurationError.self) { try accounts[1].result.get() }
    }

    @Test func `a fault of a schema file is reported with the account, in its own file`() throws {
        let folder = try configuration()
        let schema = try folder.write("schemas/shopping/1.1.0.yaml", "entities:\n  Item:\n    atributes: {}\n")
        let file = try folder.write("accounts.d/ann.yaml", smallest)
        let error = #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        #expect(error?.faults.map(\.file) == [schema])
    }

    @Test func `report R16: relative paths are resolved against the file, wherever the program runs`() throws {
        let folder = try configuration()
        let text = smallest + "\nlegacy: {sources: [{path: ../old/app.store}]}\nsynced: {stateDirectory: state}\n"
        let account = try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text), environment)
        #expect(account.legacy.sources[0].path == folder.path + "/old/app.store")
        #expect(account.synced.stateDirectory == folder.path + "/accounts.d/state")
    }

    @Test func `report R15: a byte order mark, CRLF and comments change nothing`() throws {
        let folder = try configuration()
        let text = "\u{FEFF}" + smallest.replacingOccurrences(of: "\n", with: " # x\r\n")
        let account = try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text), environment)
        #expect(account.local.group == "shop")
    }

    @Test func `a schema from the legacy store needs a legacy store`() throws {
        let folder = try configuration()
        let text = smallest.replacingOccurrences(of: "{path: ../schemas/shopping}", with: "{fromLegacy: true}")
        let file = try folder.write("accounts.d/ann.yaml", text)
        #expect(throws: ConfigurationError.self) { try AccountConfiguration.load(file, environment) }
        try folder.write("accounts.d/ann.yaml", text + "\nlegacy: {sources: [{path: /srv/x.store, kind: coredata}], keep: forever}\n")
        let account = try AccountConfiguration.load(file, environment)
        guard case .legacy = account.schema else { throw POSIXError(.EINVAL) }
        #expect(account.legacy.keep == nil)
    }

    @Test func `a word that other readers take for a truth value stays a word where text is declared`() throws {
        let folder = try configuration()
        let text = smallest.replacingOccurrences(of: "{group: shop}", with: "{group: no, unixGroup: 1234}")
        let account = try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text), environment)
        #expect(account.local.group == "no")
        #expect(account.local.unixGroup == "1234")
    }

    @Test func `a broken account does not keep the others from being used`() throws {
        let folder = try configuration()
        try folder.write("accounts.d/ann.yaml", smallest)
        try folder.write("accounts.d/bob.yaml", "")
        try folder.write("accounts.d/.bob.yaml.swp", "")
        let accounts = try AccountConfiguration.loadAll(in: folder.path + "/accounts.d", environment)
        #expect(accounts.count == 2)
        #expect(try accounts[0].result.get().name == "ann")
        #expect(throws: ConfigurationError.self) { try accounts[1].result.get() }
    }

    @Test func `accounts share no directory: the second one is refused and the first one goes on`() throws {
        let folder = try configuration()
        try folder.write("accounts.d/ann.yaml", smallest)
        try folder.write("accounts.d/bob.yaml", smallest)
        let accounts = try AccountConfiguration.loadAll(in: folder.path + "/accounts.d", environment)
        #expect(try accounts[0].result.get().name == "ann")
        let error = #expect(throws: ConfigurationError.self) { try accounts[1].result.get() }
        #expect(error?.description.contains("groups/shop, which \(folder.path)/accounts.d/ann.yaml uses too") == true)
    }
}
