import Foundation
import SluiceCoordinator
import SluiceHTTPClient
import Testing

/// What goes on, for people who watch, for logs and for Prometheus.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StatusWatchTests {
    private func with(_ accounts: [String], _ body: (Installation) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in accounts { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in accounts { _ = try await installation.settle(name) }
            try await body(installation)
        }
    }

    private func watching(_ installation: Installation, _ arguments: String...) throws -> Program {
        try Program("sluice", ["status", "--watch", "--config", installation.path("config")] + arguments)
    }

    @Test func `a watch prints what changes, account by account, over a coordinator that goes and comes again`() async throws {
        try await with(["a", "b"]) { installation in
            let watch = try watching(installation)
            func shows(_ words: String) async throws -> Bool {
                try await eventually(within: .seconds(60)) { watch.outputText.split(separator: "\n").contains { $0.contains(words) } }
            }
            #expect(try await shows(" a idle pending 0"))
            #expect(try await shows(" b idle pending 0"))
            try await installation.stopService()
            try installation.put("a", "one")
            #expect(try await shows(" a waiting pending 1 the service cannot be reached"))
            try await installation.stopCoordinator(SIGKILL)
            #expect(try await shows(" b stopped pending 0 no coordinator answers"))
            let before = watch.outputText.count
            try await installation.startService()
            try await installation.startCoordinator()
            let isBack = try await eventually(within: .seconds(60)) { watch.outputText.dropFirst(before).contains(" a idle pending 0") }
            #expect(isBack && watch.isRunning, "\(watch.errorText)")
            watch.signal(SIGTERM)
            try await watch.waitForEnd()
        }
    }

    @Test func `as JSON each line is a whole status, and a quiet account prints nothing`() async throws {
        try await with(["a"]) { installation in
            let watch = try watching(installation, "--json")
            func statuses() throws -> [AccountStatus] {
                try watch.outputText.split(separator: "\n").map { try JSONDecoder().decode(AccountStatus.self, from: Data($0.utf8)) }
            }
            #expect(try await eventually { try statuses().last?.state == "idle" })
            let count = try statuses().count
            try installation.put("a", "one")
            #expect(try await eventually { try statuses().count > count && statuses().last?.state == "idle" && statuses().last?.pending == 0 })
            let revisions = try statuses().compactMap(\.revision)
            #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
            watch.signal(SIGTERM)
            try await watch.waitForEnd()
            #expect(try installation.sluice(["status", "--watch", "--counts"]).code == 64)
        }
    }

    @Test func `Prometheus reads what an account has done from its control socket`() async throws {
        try await with(["a", "b"]) { installation in
            for title in ["one", "two"] { try installation.put("a", title) }
            try await installation.expectAgreement(["a", "b"], count: 2)
            let client = try HTTPClient(HTTPClientConfiguration())
            func metrics(_ account: String) async throws -> [String: Double] {
                let url = try #require(URL(string: "http://coordinator/metrics"))
                let response = try await client.send(
                    HTTPClientRequest(.get, url, socketPath: installation.path("state/\(account)/control.sock")))
                #expect(response.status == 200)
                var samples: [String: Double] = [:]
                for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
                    let words = line.split(separator: " ")
                    samples[String(words[0])] = Double(words[1])
                }
                return samples
            }
            let labels = "account=\"a\",store=\"rows\""
            let sender = try await metrics("a")
            #expect(sender["sluice_account_pushed_records_total{\(labels)}"] == 2)
            #expect(sender["sluice_account_pending_records{\(labels)}"] == 0)
            #expect(sender["sluice_account_state{\(labels),state=\"idle\"}"] == 1 && sender["sluice_account_state{\(labels),state=\"blocked\"}"] == 0)
            #expect(try #require(sender["sluice_account_requests_total{\(labels),endpoint=\"records/modify\"}"]) >= 1)
            #expect(try #require(sender["sluice_account_store_bytes{\(labels),file=\"store\"}"]) > 4_096)
            let receiver = try await metrics("b")
            #expect(receiver["sluice_account_pulled_records_total{account=\"b\",store=\"rows\"}"] == 2)
            try await installation.stopService()
            try installation.put("a", "three")
            let counts = try await eventually(within: .seconds(60)) {
                let now = try await metrics("a")
                return now["sluice_account_pending_records{\(labels)}"] == 1
                    && now["sluice_account_state{\(labels),state=\"waiting\"}"] == 1
                    && now["sluice_account_request_failures_total{\(labels),reason=\"unreachable\"}", default: 0] > 0
            }
            #expect(counts)
        }
    }
}
