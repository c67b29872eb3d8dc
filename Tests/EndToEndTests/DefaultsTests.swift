import Foundation
import Testing

/// `sluice defaults` against real coordinators: values for helpers and shells, and values that all devices share.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DefaultsTests {
    private func defaults(_ installation: Installation, _ arguments: String..., account: String = "a") throws -> Program.Outcome {
        try installation.sluice(["defaults"] + arguments + ["--account", account])
    }

    private func with(_ accounts: [String], _ body: (Installation) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in accounts {
                try installation.writeAccount(name)
                try installation.editAccount(name) { $0.replacing("synced:\n", with: "synced:\n  keyValues: true\n") }
            }
            try await installation.startCoordinator()
            for name in accounts { _ = try await installation.settle(name) }
            try await body(installation)
        }
    }

    @Test func `a shell finds what was set in defaults.json, with its type, until it is removed`() async throws {
        try await with(["a"]) { installation in
            let values = [
                ("theme", "dark", "string"), ("count", "9223372036854775807", "int"), ("on", "true", "bool"), ("until", "2026-01-31", "date"),
            ]
            for (key, value, type) in values {
                let outcome = try defaults(installation, "set", key, value, "--type", type, "--group", "a")
                #expect(outcome.code == 0, "\(outcome.errors)")
            }
            func file() throws -> [String: Any] {
                let data = try Data(contentsOf: URL(filePath: installation.path("groups/a/defaults.json")))
                return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])["values"] as? [String: Any] ?? [:]
            }
            let shown = try file()
            #expect(shown["theme"] as? String == "dark" && shown["on"] as? Bool == true && shown["count"] as? Int64 == .max)
            #expect(try defaults(installation, "get", "theme").output == "dark\n")
            #expect(try defaults(installation, "list").output.contains("count int 9223372036854775807\n"))
            // They outlast the coordinator, and a rebuilt store.
            try await installation.stopCoordinator(SIGKILL)
            #expect(try defaults(installation, "get", "theme").code == 69)
            try await installation.startCoordinator()
            #expect(try installation.sluice(["projection", "rebuild", "--account", "a"]).code == 0)
            #expect(try defaults(installation, "get", "count").output == "9223372036854775807\n")
            #expect(try defaults(installation, "remove", "theme").code == 0)
            #expect(try defaults(installation, "get", "theme").code == 66)
            let rest = try file()
            #expect(rest["theme"] == nil && rest["count"] != nil)
        }
    }

    @Test func `what fits no limit or no type is refused with its exit code, and changes nothing`() async throws {
        try await with(["a"]) { (installation: Installation) async throws in
            for scope: [String] in [[], ["--synced"]] {
                func set(_ key: String, _ value: String, _ more: String...) throws -> Int32 {
                    try installation.sluice(["defaults", "set", key, value, "--account", "a"] + more + scope).code
                }
                #expect(try set("one", "1", "--type", "int") == 0)
                #expect(try set(String(repeating: "k", count: 65), "1") == 65)
                #expect(try set("large", String(repeating: "x", count: 120_000)) == (scope.isEmpty ? 65 : 0))
                #expect(try set("one", "many", "--type", "int") == 64)
                #expect(try set("one", "1", "--type", "float") == 64)
                #expect(try installation.sluice(["defaults", "get", "one", "--account", "a"] + scope).output == "1\n")
            }
            #expect(try installation.sluice(["defaults", "list", "--synced", "--group", "a", "--account", "a"]).code == 64)
            #expect(try defaults(installation, "list", "--group", "none").code == 66)
        }
    }

    @Test func `a synced value reaches every device, over a killed coordinator and a service that was away, and is in no record`() async throws {
        try await with(["a", "b"]) { installation in
            #expect(try defaults(installation, "set", "stores", "north", "south", "--list", "--synced").code == 0)
            _ = try await installation.settle("a")
            _ = try await installation.settle("b")
            func arrives(_ key: String, _ text: String) async throws -> Bool {
                try await eventually(within: .seconds(60)) {
                    try defaults(installation, "get", key, "--synced", "--json", account: "b").output == "\(text)\n"
                }
            }
            #expect(try await arrives("stores", "[\"north\",\"south\"]"))
            try await installation.stopService()
            #expect(try defaults(installation, "set", "theme", "dark", "--synced").code == 0)
            try await installation.stopCoordinator(SIGKILL)
            try await installation.startService()
            try await installation.startCoordinator()
            #expect(try await arrives("theme", "\"dark\""))
            try await installation.expectAgreement(["a", "b"], count: 0)
            // Nobody without the key in the account file.
            try installation.editAccount("b") { $0.replacing("  keyValues: true\n", with: "") }
            installation.reload()
            let isRefused = try await eventually(within: .seconds(60)) {
                let outcome = try defaults(installation, "get", "theme", "--synced", account: "b")
                return outcome.code != 0 && outcome.errors.contains("keyValues: true")
            }
            #expect(isRefused)
        }
    }
}
