package import Foundation

/// Which proxy a request goes through. A loopback address and a Unix socket never go through one.
package enum HTTPProxy: Sendable {
    case none
    /// `http://proxy.example:3128`; it may hold a user and a password, which are never reported.
    case url(String)
    /// What the variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` say, in either case. `HTTP_PROXY` in capitals is not
    /// read: where requests become environment variables, as in CGI, a stranger's `Proxy:` header would set it.
    case environment([String: String])

    /// The proxy for `url`, with its credentials.
    func address(for url: URL) -> String? {
        guard let host = url.host()?.lowercased(), !Self.isLoopback(host) else { return nil }
        switch self {
        case .none: return nil
        case .url(let address): return address
        case .environment(let variables):
            let isSecure = url.scheme?.lowercased() == "https"
            let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
            guard let address = names.lazy.compactMap({ variables[$0] }).first, !address.isEmpty else { return nil }
            return Self.isExcepted(host, by: variables["no_proxy"] ?? variables["NO_PROXY"] ?? "") ? nil : address
        }
    }

    /// The proxy for `url` as status shows it, without credentials. Nil: a direct connection.
    package func reportedAddress(for url: URL) -> String? {
        guard let address = address(for: url) else { return nil }
        let parts = address.split(separator: "@")
        guard parts.count > 1, let last = parts.last else { return address }
        return (address.range(of: "://").map { String(address[..<$0.upperBound]) } ?? "") + last
    }

    static func isLoopback(_ host: String) -> Bool {
        let host = host.trimmingCharacters(in: ["[", "]", "."])
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isExcepted(_ host: String, by list: String) -> Bool {
        list.split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
