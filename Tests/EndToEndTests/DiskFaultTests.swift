import Foundation
import SluiceCoordinator
import SluiceSQLite
import Testing

/// A disk that fails under SQLite, in either process: what was acknowledged stays, and everything comes into step once it is well.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DiskFaultTests {
    static let faults = [
        "full:3", "full:30", "full:60", "full:100", "full:150", "write:5", "write:45", "write:90", "sync:1", "sync:3", "sync:7", "sync:12",
    ]

    @Test func `a coordinator whose disk fails for a while loses nothing that it acknowledged`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            var (acknowledged, seen) = (0, 0)
            for (round, fault) in Self.faults.enumerated() {
                try await installation.startCoordinator(environment: ["SLUICE_DISK_FAULT": fault])
                for index in 0..<8 {
                    let outcome = try installation.sluice(["put", "Item", "title=\(round) \(index)", "--account", "a"])
                    if outcome.code == 0 { acknowledged += 1 }
                }
                #expect(installation.coordinator?.isRunning == true, "\(fault) ended the coordinator")
                let isWell = try await eventually(within: .seconds(30)) { try installation.sluice(["sync", "--account", "a"]).code == 0 }
                #expect(isWell, "\(fault)")
                if installation.coordinator?.errorText.contains("SQLite code") == true { seen += 1 }
                try await installation.stopCoordinator()
            }
            #expect(acknowledged > 0)
            #expect(seen > Self.faults.count / 2, "only \(seen) rounds met their fault")
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            #expect(status.entities["Item"] ?? 0 >= acknowledged)
            try await installation.expectAgreement(["a"], count: status.entities["Item"] ?? 0)
            try await installation.stopCoordinator()
            let store = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite)
            #expect(try store.integrityFaults().isEmpty)
        }
    }

    @Test func `a service whose disk fails for a while acknowledges nothing that it has not, and its clients come into step`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try installation.writeAccount("b")
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            var (count, seen) = (0, 0)
            for fault in ["full:8", "full:25", "write:15", "sync:2", "sync:5"] {
                try await installation.stopService()
                try await installation.startService(environment: ["SLUICE_DISK_FAULT": fault])
                for index in 0..<6 {
                    try installation.put("a", "\(fault) \(index)")
                    count += 1
                    _ = try installation.sluice(["sync", "--account", "a"])
                }
                #expect(installation.service?.isRunning == true, "\(fault) ended the service")
                if installation.service?.errorText.contains("SQLite code") == true { seen += 1 }
            }
            #expect(seen > 2, "only \(seen) rounds met their fault")
            try await installation.expectAgreement(["a", "b"], count: count)
            try await installation.stopService()
            let records = try Connection(path: installation.path("records/records.sqlite"), mode: .readWrite)
            #expect(try records.integrityFaults().isEmpty)
        }
    }
}
