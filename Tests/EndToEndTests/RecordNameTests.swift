import Foundation
import SluiceCoordinator
import SluiceRecords
import Testing

/// One record, however its name is written.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RecordNameTests {
    @Test func `22 a UUID in lower case on the service is one row here, also as a reference and when it is deleted`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            let (list, item) = (UUID().uuidString, UUID().uuidString)
            try await installation.write(
                [
                    RecordOperation(.create, Record(list.lowercased(), type: "List", fields: ["title": Field(.string("groceries"))])),
                    RecordOperation(
                        .create,
                        Record(
                            item.lowercased(), type: "Item",
                            fields: ["title": Field(.string("milk")), "count": Field(.int64(1)), "list": Field(.reference(Reference(recordName: list)))])),
                ], as: "a")
            for name in ["a", "b"] {
                #expect(try await eventually { try await installation.names("Item", of: name) == [item] })
                #expect(try await installation.names("List", of: name) == [list])
                #expect(try installation.sluice(["get", item.lowercased(), "--account", name]).output.contains(list))
            }
            // The same name in its canonical form changes that row, and on the service that record.
            try installation.put("b", "oat milk", name: item)
            try await installation.expectAgreement(["a", "b"], count: 2)
            #expect(try installation.sluice(["get", item, "--account", "a"]).output.contains("oat milk"))
            let history: HistoryResponse = try await installation.control("a").get("/v1/history?after=0&limit=1000")
            #expect(history.changes.filter { $0.name == item }.map(\.kind) == ["insert", "update"])
            // Other clients compare names as text: a new reference is spelled as the service spells its target.
            #expect(try installation.sluice(["put", "Item", "title=bread", "list=\(list)", "--name", "bread", "--account", "b"]).code == 0)
            try await installation.expectAgreement(["a", "b"], count: 3)
            let answer = try await installation.client("a").lookup(["bread"], in: ZoneID("shop"))
            guard case .record(let bread)? = answer.records.first else { throw Installation.Failure(text: "no record: \(answer)") }
            #expect(bread.fields["list"] == Field(.reference(Reference(recordName: list.lowercased()))))
            // Nothing is sent for rows that only came.
            let written = try await installation.metric("sluice_records_written_total")
            for _ in 0..<3 { for name in ["a", "b"] { _ = try await installation.settle(name) } }
            #expect(try await installation.metric("sluice_records_written_total") == written)
            #expect(try installation.sluice(["delete", item, "--account", "a"]).code == 0)
            try await installation.expectAgreement(["a", "b"], count: 2)
            #expect(try await installation.names("Item", of: "b") == ["bread"])
        }
    }
}
