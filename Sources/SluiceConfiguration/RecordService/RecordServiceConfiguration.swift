import Foundation
import Glibc
package import SluiceNotation

/// What the record service's file says, checked, with defaults filled in and paths absolute.
package struct RecordServiceConfiguration: Hashable, Sendable {
    /// A numeric address, IPv4 or IPv6.
    package let address: String
    /// 0: any free port.
    package let port: Int
    package let certificateFile: String
    package let keyFile: String
    package let dataDirectory: String
    /// A PostgreSQL connection string without a password; nil: the rows are in the data directory.
    package let storage: String?
    /// Connections of one process to that server.
    package let storageConnections: Int
    /// The largest request body.
    package let requestSize: ByteCount
    /// The largest asset.
    package let assetSize: ByteCount
    /// The most operations in one request.
    package let operationsMaximum: Int
    package let connectionsMaximum: Int
    /// From the first byte of a request to the last of its answer.
    package let requestTime: Duration
    package let requestsPerSecond: Int
    /// Requests that a token may send at once after a pause.
    package let burst: Int
    /// What the records of one user may take.
    package let quotaPerUser: ByteCount

    /// - Throws: every fault of the file.
    package static func load(_ file: String) throws(ConfigurationError) -> RecordServiceConfiguration {
        let file = URL(filePath: file).standardizedFileURL.path
        let log = FaultLog(file: file)
        let configuration = decode(try ConfigurationFile.read(file), log: log)
        guard let configuration, log.faults.isEmpty else { throw log.error }
        return configuration
    }

    private static func decode(_ root: YAMLNode, log: FaultLog) -> RecordServiceConfiguration? {
        guard let section = Section<RecordServiceKey>(root, name: "", log: log) else { return nil }
        let place = ConfigurationPlace(file: log.file)
        let listen = section.requiredSection(.listen, of: ListenKey.self)
        let limits = section.section(.limits, of: LimitsKey.self)
        let rate = section.section(.rate, of: RateKey.self)
        let quota = section.section(.quota, of: QuotaKey.self)
        let directory = section.requiredPath(.dataDirectory, in: place, .none)
        let certificate = listen?.requiredPath(.certificateFile, in: place, .file)
        let key = listen?.requiredPath(.keyFile, in: place, .secret)
        let configuration = RecordServiceConfiguration(
            address: listen?.value(.address, .address) ?? "127.0.0.1", port: listen?.value(.port, .integer(0...65535)) ?? 8443,
            certificateFile: certificate ?? "", keyFile: key ?? "", dataDirectory: directory ?? "",
            storage: section.value(.storage, .postgresql), storageConnections: section.value(.storageConnections, .integer(5...500)) ?? 12,
            requestSize: limits?.value(.requestBytes, .size(.kibibytes(64) ... .mebibytes(256))) ?? .mebibytes(8),
            assetSize: limits?.value(.assetBytes, .size(.mebibytes(1) ... .mebibytes(1 << 10))) ?? .mebibytes(50),
            operationsMaximum: limits?.value(.operations, .integer(1...10_000)) ?? 2_000,
            connectionsMaximum: limits?.value(.connections, .integer(1...100_000)) ?? 1024,
            requestTime: limits?.value(.requestTime, .duration(.seconds(1) ... .seconds(600))) ?? .seconds(60),
            requestsPerSecond: rate?.value(.requestsPerSecond, .integer(1...1_000_000)) ?? 500,
            burst: rate?.value(.burst, .integer(1...1_000_000)) ?? 2_000,
            quotaPerUser: quota?.value(.bytesPerUser, .size(.mebibytes(1) ... .mebibytes(1 << 30))) ?? .mebibytes(10 << 10))
        return log.faults.isEmpty ? configuration : nil
    }
}

extension ByteCount {
    fileprivate static func kibibytes(_ count: Int64) -> ByteCount { ByteCount(bytes: count << 10) }
    fileprivate static func mebibytes(_ count: Int64) -> ByteCount { ByteCount(bytes: count << 20) }
}

extension ScalarKind where Value == String {
    /// Who may read the file may not know the password: it has a place of its own.
    fileprivate static var postgresql: ScalarKind {
        var kind = ScalarKind(expectation: "postgresql://HOST/DATABASE without a password; `?passfile=FILE` names the file that has it") { text in
            guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"), !text.lowercased().contains("password=") else { return nil }
            let host = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            // Before an `@` stands the user, and behind a colon the password.
            if let user = host.lastIndex(of: "@"), host[..<user].contains(":") { return nil }
            return text
        }
        kind.isSecret = true
        return kind
    }

    /// Names are refused: what they resolve to is decided elsewhere, and may change while the service runs.
    fileprivate static var address: ScalarKind {
        ScalarKind(expectation: "a numeric address such as 127.0.0.1, ::1, 0.0.0.0 or ::") { text in
            var four = in_addr()
            var six = in6_addr()
            return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1 ? text : nil
        }
    }
}
