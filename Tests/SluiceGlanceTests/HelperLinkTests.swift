import Foundation
import Testing

/// No helper has a network or TLS library in it, by its dynamic libraries and by its symbols. `Deploy/check-helpers.sh` looks at the static
/// executables in the same way.
@Suite struct HelperLinkTests {
    private static let libraries = ["curl", "ssl", "crypto", "gnutls", "microhttpd", "libpq", "FoundationNetworking"]
    private static let symbols = ["curl_easy_", "SSL_", "EVP_", "gnutls_", "MHD_", "PQconnect"]

    /// What of that is in a program beside the tests.
    private func found(in program: String) throws -> Set<String> {
        let path = Bundle.main.bundleURL.appending(path: program).path
        let libraries = try GlanceFixture.run(["ldd", path])
        let symbols = try GlanceFixture.run(["nm", path])
        #expect(libraries.status == 0 && symbols.status == 0 && symbols.output.contains(" sqlite3_open_v2") || program == "sluiced", "\(program)")
        let names = symbols.lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        return Set(Self.libraries.filter { libraries.output.contains($0) })
            .union(Self.symbols.filter { prefix in names.contains { $0.hasPrefix(prefix) } })
    }

    @Test(arguments: ["sluice-glance", "sluice-mcp"]) func `a helper holds no network or TLS library`(program: String) throws {
        #expect(try found(in: program) == [])
    }

    @Test func `what is looked for is found in the coordinator, which has it`() throws {
        #expect(try found(in: "sluiced").isSuperset(of: ["curl", "crypto"]))
    }
}
