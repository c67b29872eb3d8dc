// A service that rotates user tokens sends a new one with each answer. The newest is kept in the state directory and is used until the
// configured file is newer: a person who puts a fresh token there means it.

import Foundation
import Glibc

enum RotatedToken {
    static func newest(_ path: String, over configured: @Sendable () throws -> Credentials) throws -> Credentials {
        let credentials = try configured()
        guard case .tokens(let api, let user, _) = credentials.proof else { return credentials }
        guard let bytes = FileManager.default.contents(atPath: path) else { return credentials }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The first line names the configured token it came from: another one there supersedes it.
        guard lines.count >= 2, lines[0] == fingerprint(of: user), !lines[1].isEmpty else { return credentials }
        return Credentials(.tokens(api: api, user: lines[1], configured: user))
    }

    /// Keeps what an answer brought, on disk when this returns.
    /// - Parameter sent: what the request carried. Where a newer one is there by now, an answer that was long on its way must not bring the old back.
    static func keep(
        _ token: String, after sent: String, configured: String, in directory: String, over credentials: @Sendable () throws -> Credentials
    ) throws {
        let state = try StateDirectory(path: directory)
        guard case .tokens(_, sent, configured) = try newest(state.tokenPath, over: credentials).proof else { return }
        try state.replace(state.tokenPath, with: "\(fingerprint(of: configured))\n\(token)\n", isDurable: true)
    }

    /// Tells one token from another without holding it.
    private static func fingerprint(of token: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in token.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
