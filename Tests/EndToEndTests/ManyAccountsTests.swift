import Foundation
import SluiceCoordinator
import Testing

/// One coordinator with very many accounts: what each costs, and that none waits for another. `Deploy/soak.sh` runs a thousand.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ManyAccountsTests {
    private static let count = ProcessInfo.processInfo.environment["SLUICE_SOAK_ACCOUNTS"].flatMap(Int.init) ?? 150
    /// Accounts whose service lets nothing through.
    private static let slowCount = 20
    /// Threads of a coordinator with any number of accounts: those that accounts share, the HTTP clients', Swift's and the system's.
    private static let threadsMaximum = 64
    /// Files, sockets and locks that an account has open.
    private static let descriptorsPerAccount = 24
    /// Resident, in KiB, in a debug build.
    private static let memoryPerAccount = 2_048

    @Test func `accounts cost descriptors and little memory but no threads, and neither broken nor slow ones delay the others`() async throws {
        try await Installation.with { installation in
            let healthy = (0..<Self.count).map { "n\($0)" }
            let slow = (0..<Self.slowCount).map { "n\(Self.count + $0)" }
            let (stranger, corrupt) = ("n\(Self.count + Self.slowCount)", "n\(Self.count + Self.slowCount + 1)")
            try await installation.writeCrowd(Self.count + Self.slowCount + 2)
            try await installation.startService(connections: 4 * Self.count + 1_000)
            // Beyond this proxy is a service that takes every connection and says nothing.
            let proxy = try FaultProxy(to: installation.port, seed: 1)
            proxy.calm()
            proxy.block([.toClient])
            defer { proxy.close() }
            for name in healthy + [stranger, corrupt] { try installation.writeMember(name) }
            for name in slow { try installation.writeMember(name, port: Int(proxy.port)) }
            try installation.writeToken(String(repeating: "0", count: 64), for: stranger)
            try FileManager.default.createDirectory(atPath: installation.path("state/\(corrupt)"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data(repeating: 0xA5, count: 65_536).write(to: URL(filePath: installation.path("state/\(corrupt)/Private.store")))
            let began = ContinuousClock.now
            try await installation.startCoordinator()
            let ready = began.duration(to: .now)
            let program = try #require(installation.coordinator)
            // The sockets answer while most stores are still to be opened.
            for name in [healthy[0], healthy[Self.count - 1], slow[0]] { #expect(try installation.status(name) != nil) }
            try await Self.expectInStep(healthy, installation)
            let settled = began.duration(to: .now)
            let cost = try ProcessCost(of: program)
            print("many accounts: \(Self.count + Self.slowCount + 2) accounts, ready after \(ready), in step after \(settled): \(cost)")
            #expect(cost.threads <= Self.threadsMaximum, "\(cost)")
            #expect(cost.descriptors <= Self.descriptorsPerAccount * Self.count + 1_000, "\(cost)")
            #expect(cost.memory <= Self.memoryPerAccount * Self.count + 131_072, "\(cost)")
            for name in [stranger, corrupt] { try await installation.expectState("blocked", of: name) }
            // All of the healthy ones wait in long polls now, and the slow ones for answers that do not come.
            for name in [healthy[0], healthy[Self.count / 2], healthy[Self.count - 1]] {
                try installation.put(name, "prompt")
                try await installation.expectState("idle", of: name, pending: 0, within: .seconds(25))
                #expect(try await installation.serviceCount(name) == 1)
            }
        }
    }

    /// Waits until every one of the accounts has had a look at its zone and has nothing left to do.
    private static func expectInStep(_ names: [String], _ installation: Installation) async throws {
        var left = names
        let isDone = try await eventually(within: .seconds(90 + 2 * Double(names.count) / 10)) {
            while let name = left.last {
                let status: AccountStatus
                do { status = try await installation.control(name).get("/v1/status") } catch { return false }
                guard status.state == "idle", status.lastSuccess != nil else { return false }
                left.removeLast()
            }
            return true
        }
        #expect(isDone, "\(left.count) are not in step: \(left.suffix(3)) \(installation.coordinator?.errorText.suffix(2_000) ?? "")")
    }
}

extension Installation {
    /// Records of an account's zone, by its own token.
    fileprivate func serviceCount(_ name: String) async throws -> Int {
        tokens[name] = try String(contentsOfFile: path("config/credentials/\(name)"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        return try await serviceDigest(name).count
    }
}
