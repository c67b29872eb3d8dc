import Foundation
import SluiceCoordinator
import SluiceSQLite
import Testing

/// A helper that is another user and may write nothing reads in every state of the coordinator (I-8). Rows come two at a time, in one
/// transaction each: an odd number would be half of one.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Installation.isRoot, "only root can run a helper as another user"))
struct HelperTests {
    private static let readCount = 100
    private static let group = "  unixGroup: nogroup"

    private func addPair(_ installation: Installation) throws {
        // As any program of the coordinator's user may: the store is open to those who know SQL.
        let connection = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite)
        try connection.keepWriteAheadLog()
        try connection.execute("INSERT INTO Item(_id, title, count) VALUES (randomblob(16), 'left', 1), (randomblob(16), 'right', 1)")
    }

    /// Numbers of rows that were read, in order; fails for anything but a full pair.
    private func expectPairs(_ answers: [String], sourceLocation: SourceLocation = #_sourceLocation) -> [Int] {
        let counts = answers.compactMap { $0.hasPrefix("0 ") ? Int($0.dropFirst(2)) : nil }
        #expect(counts.count == answers.count, "\(Set(answers.filter { !$0.hasPrefix("0 ") }))", sourceLocation: sourceLocation)
        #expect(counts.allSatisfy { $0.isMultiple(of: 2) }, sourceLocation: sourceLocation)
        #expect(counts == counts.sorted(), sourceLocation: sourceLocation)
        return counts
    }

    @Test func `another user reads whole transactions while the coordinator runs, is stopped, is killed and starts again`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a", group: Self.group)
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            try addPair(installation)
            let helper = try PollingHelper(installation, group: "a", entity: "Item", as: "nobody")
            for _ in 0..<2 {
                let before = try await installation.serviceDigest("a").count
                try addPair(installation)
                try await helper.waitForAnswers(Self.readCount / 2)
                #expect(try await eventually { try await installation.serviceDigest("a").count > before })
            }
            try await installation.stopCoordinator()
            try await helper.waitForAnswers(Self.readCount)
            try addPair(installation)
            try await installation.startCoordinator()
            try await helper.waitForAnswers(Self.readCount)
            try addPair(installation)
            try await installation.stopCoordinator(SIGKILL)
            try await helper.waitForAnswers(Self.readCount)
            try await installation.startCoordinator()
            try await installation.expectAgreement(["a"], count: 10)
            try await helper.waitForAnswers(2)
            #expect(expectPairs(try await helper.stop()).last == 10)
        }
    }

    @Test func `another user is told that there is no store until an import is complete`() async throws {
        try await Installation.with { installation in
            let source = try installation.makeLegacyStore(items: 1_500)
            try await installation.startService()
            try installation.writeLegacyAccount("a", importing: source, group: Self.group)
            let helper = try PollingHelper(installation, group: "a", entity: "ShoppingItem", as: "nobody")
            try await helper.waitForAnswers(1)
            try await installation.startCoordinator()
            #expect(try await installation.settle("a").entities["ShoppingItem"] == 1_500)
            try await helper.waitForAnswers(2)
            let answers = try await helper.stop()
            #expect(Set(answers).isSubset(of: ["66 ", "75 ", "0 1500"]), "\(Set(answers))")
            #expect(answers.first == "66 " && answers.last == "0 1500")
        }
    }
}
