import Foundation
import SluiceCoordinator
import Testing

/// What people see of merges.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ConflictTests {
    @Test func `two edits of one field are shown with both values, on a terminal and as JSON`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            try installation.put("a", "first", name: "r")
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            #expect(try installation.sluice(["conflicts", "--account", "b"]).output == "no conflicts are known\n")
            #expect(try installation.sluice(["pause", "--account", "b"]).code == 0)
            try installation.put("a", "from a", name: "r")
            _ = try await installation.settle("a")
            try installation.put("b", "from b", name: "r")
            #expect(try installation.sluice(["resume", "--account", "b"]).code == 0)
            for name in ["b", "a"] { _ = try await installation.settle(name) }
            try await installation.expectAgreement(["a", "b"], count: 1)
            let table = try installation.sluice(["conflicts", "--account", "b"])
            #expect(table.code == 0 && table.output.contains("title") && table.output.contains("from a") && table.output.contains("device"), "\(table)")
            let line = try installation.sluice(["conflicts", "r", "--account", "b", "--json"]).output
            let conflict = try JSONDecoder().decode(ConflictsResponse.Conflict.self, from: Data(line.utf8))
            #expect(conflict.here == "from b" && conflict.there == "from a" && conflict.outcome == "device" && conflict.property == "title")
            #expect(try installation.sluice(["conflicts", "other", "--account", "b"]).output == "no conflicts are known\n")
            // Values are nobody's business but the person's at the terminal.
            let log = try #require(installation.coordinator).errorText
            #expect(log.contains("pulled") && !log.contains("from b") && !log.contains("from a"))
        }
    }
}
