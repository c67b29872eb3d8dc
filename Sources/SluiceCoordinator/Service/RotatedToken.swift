// A service that rotates user tokens sends a new one with each answer. The newest is kept in the state directory and is used until the
// configured file is newer: a person who puts a fresh token there means it.

import Foundation
import Glibc

enum RotatedToken {
    static func newest(_ path: String, over configured: @Sendable () throws -> Credentials) throws -> Credentials {
        let credentials = try configured()
        guard let bytes = FileManager.default.contents(atPath: path) else { return credentials }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The first line names the configured token it came from: another one there supersedes it.
        guard lines.count >= 2, lines[0] == fingerprint(of: credentials.userToken), !lines[1].isEmpty else { return credentials }
        return Credentials(apiToken: credentials.apiToken, userToken: lines[1], configuredToken: credentials.userToken)
    }

    /// - Parameter path: the file, in a state directory.
    static func keep(_ token: String, configured: String, at path: String) throws {
        let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        try StateDirectory(path: String(directory)).replace(path, with: "\(fingerprint(of: configured))\n\(token)\n", isDurable: true)
    }

    /// Tells one token from another without holding it.
    private static func fingerprint(of token: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in token.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
