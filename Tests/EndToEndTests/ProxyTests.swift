import Foundation
import SluiceCoordinator
import Testing

/// Field report R12: what a shell exports is not what a service sees, so the status tells what is in effect.
@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
    @Test func `R12 the status tells the proxy in effect, of the environment or of the file, without its password, and none for loopback`() async throws {
        try await Installation.with { installation in
            for name in ["environment", "file", "loopback"] { try installation.writeAccount(name) }
            let port = ":\(installation.port)"
            for name in ["environment", "file"] { try installation.editAccount(name) { $0.replacing("127.0.0.1\(port)", with: "records.invalid") } }
            try installation.editAccount("file") { $0.replacing("environment: development", with: "environment: development\n  proxy: http://127.0.0.1:2") }
            try await installation.startCoordinator(environment: ["https_proxy": "http://ann:secret@127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:3"])
            let expected = ["environment": "http://127.0.0.1:1", "file": "http://127.0.0.1:2", "loopback": nil]
            for (name, proxy) in expected {
                try await installation.expectState("waiting", of: name)
                #expect(try installation.status(name)?.proxy == proxy, "\(name)")
                let text = try installation.sluice(["status", "--account", name]).output
                #expect(text.contains("proxy") == (proxy != nil) && text.contains(proxy ?? name))
            }
            let log = installation.coordinator?.errorText ?? ""
            #expect(!log.contains("secret"))
            #expect(try !installation.sluice(["status", "--json"]).output.contains("secret"))
        }
    }
}
