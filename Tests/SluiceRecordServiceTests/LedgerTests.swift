import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What every storage engine keeps about operation ids (invariant I-2).
@Suite struct LedgerTests {
    private func operation(_ id: String, body: String = "body", holder: String = "phone") -> OperationID {
        OperationID(holder: holder, id: id, digest: Data(body.utf8))
    }

    private func replayed(_ outcome: ModifyOutcome) throws -> [RecordResult] {
        guard case .replay(let body) = outcome else { throw StorageError.unavailable("not a replay") }
        return try RecordsResponse(decoding: body).records
    }

    @Test(arguments: StorageEngine.allCases)
    func `field report 24: a batch sent twice under one id has its effect once and the same answer twice`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let operations = (0..<5).map { create("r\($0)") }
        let first = try await fixture.done(operations, id: operation("op-1"))
        let second = try replayed(try await fixture.modify(operations, id: operation("op-1")))
        #expect(second.map { $0.record?.changeTag } == first.map(\.changeTag))
        #expect(try await fixture.feed().names.count == 5)
        // Deletions, and an update whose tag its own first attempt has moved.
        let changes = [RecordOperation(.delete, note("r0", tag: first[0].changeTag)), RecordOperation(.update, note("r1", tag: first[1].changeTag))]
        let third = try await fixture.done(changes, id: operation("op-2"))
        let fourth = try replayed(try await fixture.modify(changes, id: operation("op-2")))
        #expect(fourth[0].record?.isDeleted == true)
        #expect(fourth[1].record?.changeTag == third[1].changeTag)
    }

    @Test(arguments: StorageEngine.allCases)
    func `the ledger survives a restart and forgets after seven days`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("r")], id: operation("op"))
        try await fixture.reopen()
        fixture.clock.advance(days: Int64(ServiceLimits.ledgerDays) - 1)
        try await fixture.storage.prune()
        _ = try replayed(try await fixture.modify([create("r")], id: operation("op")))
        fixture.clock.advance(days: 2)
        try await fixture.storage.prune()
        #expect(try await fixture.done([create("r")], id: operation("op"))[0].error?.code == .exists)
    }

    @Test(arguments: StorageEngine.allCases)
    func `an id used for another body is refused, and another holder's id is another id`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("a")], id: operation("op"))
        do {
            _ = try await fixture.modify([create("b")], id: operation("op", body: "other"))
            Issue.record("accepted")
        } catch StorageError.operationReused(let id) {
            #expect(id == "op")
        }
        #expect(try await fixture.record("b") == nil)
        #expect(try await fixture.done([create("b")], id: operation("op", body: "other", holder: "laptop"))[0].error == nil)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a batch that failed as a whole is decided anew, one that failed in part is kept`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("there")])
        let operations = [create("there"), create("new")]
        #expect(try await fixture.done(operations, id: operation("atomic")).map { $0.error?.code } == [.exists, .atomicError])
        try await fixture.done([RecordOperation(.forceDelete, Record("there"))])
        #expect(try await fixture.done(operations, id: operation("atomic")).map { $0.error?.code } == [nil, nil])

        #expect(try await fixture.done(operations + [create("more")], atomic: false, id: operation("part")).map { $0.error?.code } == [.exists, .exists, nil])
        try await fixture.done([RecordOperation(.forceDelete, Record("there"))])
        let kept = try replayed(try await fixture.modify(operations + [create("more")], atomic: false, id: operation("part")))
        #expect(kept.map { $0.error?.code } == [.exists, .exists, nil])
    }

    @Test(arguments: StorageEngine.allCases)
    func `many at once with the same id: one does it, the others see its outcome`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let id = operation("op")
        let replays = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    if case .replay = try await fixture.modify([create("r")], id: id) { true } else { false }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(replays == 19)
        #expect(try await fixture.record("r")?.changeTag.flatMap(ChangeTag.init(text:))?.sequence == 1)
    }
}
