import Foundation
import SluiceCoordinator
import SluiceRecords
import SluiceSchema
import Testing

/// One record that cannot be written, or not as others are, delays nothing but itself (I-9).
@Suite(.serialized, .timeLimit(.minutes(10))) struct OddRecordTests {
    @Test func `records with NaN, beyond the size limit and with an unknown field let the others through, and devices agree`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.stopService()
            for index in 0..<3 { try installation.put("a", "plain \(index)") }
            #expect(try installation.sluice(["put", "Item", "title=odd", "price=nan", "--name", "odd", "--account", "a"]).code == 0)
            let value = Data(repeating: 0x5A, count: 1_200_000).base64EncodedString()
            let _: PutResponse = try await installation.control("a").post(
                "/v1/put", PutRequest(entity: "Item", name: "large", properties: ["title": .string("large"), "data": .string(value)]))
            try await installation.startService()
            try await installation.write(
                [
                    RecordOperation(
                        .create,
                        Record(
                            "newer", type: "Item",
                            fields: ["title": Field(.string("newer")), "count": Field(.int64(1)), "flavour": Field(.string("unknown here"))]))
                ], as: "b")
            for name in ["a", "b", "a"] { _ = try await installation.settle(name) }
            let status = try await installation.settle("a")
            #expect(status.setAside.map(\.name) == ["large"])
            #expect(status.setAside.first?.reason.contains("bytes") == true)
            #expect(try await installation.serviceDigest("a").count == 5)
            let others = try await installation.names("Item", of: "a").filter { $0 != "large" }
            #expect(try await installation.names("Item", of: "b") == others)
            #expect(try installation.sluice(["get", "odd", "--json", "--account", "b"]).output.contains("\"price\":\"nan\""))
            // An edit of the record leaves what a newer device wrote where it is.
            try installation.put("a", "edited", name: "newer")
            #expect(try installation.sluice(["delete", "large", "--account", "a"]).code == 0)
            try await installation.expectAgreement(["a", "b"], count: 5)
            let answer = try await installation.client("a").lookup(["newer"], in: ZoneID("shop"))
            guard case .record(let record)? = answer.records.first else { throw Installation.Failure(text: "no record: \(answer)") }
            #expect(record.fields["flavour"] == Field(.string("unknown here")))
            #expect(record.fields["title"] == Field(.string("edited")))
        }
    }

    @Test func `a record that was set aside is listed, goes again when it is let go, and can be given up`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            try installation.put("a", "kept", name: "kept")
            let value = Data(repeating: 0x5A, count: 1_200_000).base64EncodedString()
            for name in ["large", "kept"] {
                let _: PutResponse = try await installation.control("a").post(
                    "/v1/put", PutRequest(entity: "Item", name: name, properties: ["title": .string("mine"), "data": .string(value)]))
                _ = try await installation.settle("a")
            }
            func outbox(_ arguments: String...) throws -> Program.Outcome { try installation.sluice(["outbox"] + arguments + ["--account", "a"]) }
            let list = try outbox("list", "--set-aside").output
            #expect(list.contains("large") && list.contains("set aside: the record has"), "\(list)")
            #expect(try outbox("list", "--json").output.split(separator: "\n").count == 2)
            let shown = try outbox("show", "kept").output
            #expect(shown.contains("change: update") && shown.contains("properties: data, title"), "\(shown)")
            // Too large still.
            #expect(try outbox("retry", "large").output == "1 record goes again\n")
            #expect(try installation.sluice(["put", "Item", "title=small", "data=", "--name", "large", "--account", "a"]).code == 0)
            _ = try await installation.settle("a")
            #expect(try outbox("retry", "large").code == 66 && outbox("show", "large").code == 66)
            #expect(try outbox("drop", "kept").code == 64)
            let dropped = try outbox("drop", "kept", "--yes")
            #expect(dropped.code == 0 && dropped.output.contains("the service's version"), "\(dropped)")
            try await installation.expectAgreement(["a", "b"], count: 2)
            #expect(try installation.sluice(["get", "kept", "--account", "a"]).output.contains("kept"))
            #expect(try outbox("list").output == "nothing waits to be sent\n")
        }
    }
}
