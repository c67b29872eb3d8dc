import Foundation

/// Where a secret lies. It is read when it is needed and held by nobody who prints.
package enum CredentialSource: Hashable, Sendable {
    case file(String)
    /// The name given to systemd's `LoadCredential=`.
    case systemd(String)

    /// The token, or nil where the file is empty: "no token".
    ///
    /// Line ends and spaces around it are dropped; editors and `echo` put them there. A line break inside is refused: sent in a header, it
    /// would begin another one.
    package func load(_ environment: ConfigurationEnvironment) throws(CredentialError) -> String? {
        let (path, data) = try contents(environment)
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let token = data.trimmingPrefix(while: isSpace).reversed().trimmingPrefix(while: isSpace).reversed()
        guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw CredentialError(path: path, problem: .malformed) }
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// The file's text as it is, for a secret of several lines: a key.
    package func text(_ environment: ConfigurationEnvironment) throws(CredentialError) -> String {
        String(decoding: try contents(environment).data, as: UTF8.self)
    }

    private func contents(_ environment: ConfigurationEnvironment) throws(CredentialError) -> (path: String, data: Data) {
        let path = try path(environment)
        let data: Data
        do {
            data = try FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: Self.bytesMaximum + 1) ?? Data()
        } catch {
            throw CredentialError(path: path, problem: .unreadable(ConfigurationFile.reason(error)))
        }
        guard data.count <= Self.bytesMaximum else { throw CredentialError(path: path, problem: .tooLong) }
        return (path, data)
    }

    /// The file that it lies in.
    /// - Throws: `CredentialError` where systemd has not said where its credentials are.
    package func path(_ environment: ConfigurationEnvironment) throws(CredentialError) -> String {
        switch self {
        case .file(let path): return path
        case .systemd(let name):
            guard let directory = environment.credentialsDirectory else {
                throw CredentialError(path: name, problem: .noCredentialsDirectory)
            }
            return "\(directory)/\(name)"
        }
    }

    private static let bytesMaximum = 16 << 10
}

/// A secret that cannot be used. It names the file and says nothing of what is in it.
package struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case unreadable(String)
        case tooLong
        case malformed
        case noCredentialsDirectory
    }

    package let path: String
    package let problem: Problem

    package var description: String {
        switch problem {
        case .unreadable(let reason): "\(path): the secret cannot be read (\(reason)); check that the file exists and who may read it"
        case .tooLong: "\(path): longer than any token or key; check that it is the right file"
        case .malformed: "\(path): a token is one line of printable ASCII without spaces inside; write the file anew"
        case .noCredentialsDirectory:
            "credential \(path): $CREDENTIALS_DIRECTORY is not set; run as a unit with LoadCredential=, or name a file instead"
        }
    }
}
