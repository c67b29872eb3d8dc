import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What every storage engine keeps about records.
@Suite struct RecordStorageTests {
    /// What stands at the name before the operation.
    enum Before: String, CaseIterable, Sendable { case nothing, live, tombstone }
    enum Tag: String, CaseIterable, Sendable { case none, right, wrong }

    /// The table of Docs/Protocol.md: nil is success.
    static func expected(_ kind: RecordOperation.Kind, _ before: Before, _ tag: Tag) -> ServerErrorCode? {
        switch (kind, before, tag) {
        case (.create, .live, _): .exists
        case (.update, _, .none), (.replace, _, .none), (.delete, _, .none): .badRequest
        case (.update, .live, .wrong), (.replace, .live, .wrong), (.delete, .live, .wrong): .conflict
        case (.update, .live, .right), (.replace, .live, .right), (.delete, .live, .right): nil
        case (.update, _, _), (.replace, _, _), (.delete, _, _): .notFound
        default: nil
        }
    }

    @Test(arguments: StorageEngine.allCases, RecordOperation.Kind.allCases)
    func `each operation type decides by what is there and by the change tag`(engine: StorageEngine, kind: RecordOperation.Kind) async throws {
        let fixture = try await StorageFixture(engine)
        for before in Before.allCases {
            for tag in Tag.allCases {
                let name = "\(before)-\(tag)"
                var right = "1.1.0000000000000000"
                if before != .nothing { right = try #require(await fixture.done([create(name)])[0].changeTag) }
                if before == .tombstone { try await fixture.done([RecordOperation(.forceDelete, Record(name))]) }
                let given: String? = tag == .none ? nil : tag == .right ? right : right.dropLast() + (right.hasSuffix("0") ? "1" : "0")
                let operation = RecordOperation(kind, note(name, ["m": Field(.int64(2))], tag: given))
                let result = try await fixture.done([operation])[0]
                #expect(result.error?.code == Self.expected(kind, before, tag), "\(kind) on \(before) with \(tag) tag")
                try await expectContents(of: name, after: kind, before, failed: result.error != nil, fixture)
            }
        }
    }

    private func expectContents(
        of name: String, after kind: RecordOperation.Kind, _ before: Before, failed: Bool, _ fixture: StorageFixture
    ) async throws {
        let fields = try await fixture.record(name)?.fields.keys.sorted()
        let kept: [String]? = before == .live ? ["n"] : nil
        if failed {
            #expect(fields == kept)
        } else {
            switch kind {
            case .delete, .forceDelete: #expect(fields == nil)
            case .update, .forceUpdate: #expect(fields == (kept == nil ? ["m"] : ["m", "n"]))
            case .create, .replace, .forceReplace: #expect(fields == ["m"])
            }
        }
    }

    @Test(arguments: StorageEngine.allCases)
    func `an update changes the given fields only, and a null takes its field away`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let fields = ["a": Field(.string("e\u{301}\0")), "b": Field(.double(0.1)), "c": Field(.stringList([]))]
        let tag = try #require(await fixture.done([RecordOperation(.create, note("r", fields))])[0].changeTag)
        let changes = ["b": Field(nil), "d": Field(.int64(.min)), "x": Field(nil)]
        try await fixture.done([RecordOperation(.update, note("r", changes, tag: tag))])
        #expect(try await fixture.record("r")?.fields == ["a": fields["a"], "c": fields["c"], "d": Field(.int64(.min))].compactMapValues { $0 })
    }

    @Test(arguments: StorageEngine.allCases)
    func `a batch with one failure leaves nothing, names the guilty and spares the innocent`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("there")])
        let before = try await fixture.feed()
        let results = try await fixture.done([create("a"), create("there"), RecordOperation(.delete, note("gone", tag: "x")), create("b")])
        #expect(results.map { $0.error?.code } == [.atomicError, .exists, .notFound, .atomicError])
        #expect(try await fixture.feed(before.token).names == [])
        // The next version follows without a gap: nothing of the failed batch was counted.
        let tag = try #require(await fixture.done([create("c")])[0].changeTag)
        #expect(ChangeTag(text: tag)?.sequence == 2)
    }

    @Test(arguments: StorageEngine.allCases)
    func `without atomicity each record stands for itself`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let results = try await fixture.done([create("a"), create("a"), RecordOperation(.create, Record("t")), create("b")], atomic: false)
        #expect(results.map { $0.error?.code } == [nil, .badRequest, .badRequest, nil])
        #expect(try await fixture.feed().names == ["a", "b"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `field report R6: delete, then create the same name, leaves the new record with a new creation stamp`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("r")])
        let first = try #require(await fixture.record("r"))
        fixture.clock.advance(days: 1)
        try await fixture.done([RecordOperation(.delete, note("r", tag: first.changeTag))])
        try await fixture.done([RecordOperation(.create, note("r", ["n": Field(.int64(2))]))])
        let second = try #require(await fixture.record("r"))
        #expect(second.fields["n"] == Field(.int64(2)))
        #expect(second.created?.timestamp == fixture.clock.now)
        #expect(try await fixture.feed().names == ["r"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a full quota refuses what grows and lets deletions through`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let big = { (name: String, count: Int) in RecordOperation(.forceReplace, note(name, ["d": Field(.bytes(Data(count: count)))])) }
        try await fixture.done([big("a", 3_000)], quota: 5_000)
        #expect(try await fixture.done([big("b", 3_000)], quota: 5_000)[0].error?.code == .quotaExceeded)
        #expect(try await fixture.done([big("a", 2_000)], quota: 100)[0].error == nil)
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))], quota: 5_000)
        #expect(try await fixture.done([big("b", 3_000)], quota: 5_000)[0].error == nil)
    }

    @Test(arguments: StorageEngine.allCases)
    func `nobody sees another user's database`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("r")])
        let other = try await StorageFixture.addUser("bob", to: fixture.storage)
        await #expect(throws: StorageError.self) { try await fixture.storage.records(named: ["r"], zone: fixture.zone, in: other) }
        #expect(try await fixture.storage.zones(in: other).map(\.zoneID.zoneName) == [ZoneID.defaultZoneName])
        let token = try await fixture.page().token
        _ = try await fixture.storage.modifyZones([ZoneOperation(.create, fixture.zone)], in: other)
        await #expect(throws: StorageError.self) {
            try await fixture.storage.zoneChanges(FeedQuery(zone: fixture.zone, token: token, limit: 10), in: other)
        }
    }

    @Test(arguments: StorageEngine.allCases)
    func `deleting a target takes its dependants along, and a validating reference forbids it`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let pointing = { (name: String, target: String, action: Reference.Action) in
            RecordOperation(.forceReplace, note(name, ["to": Field(.reference(Reference(recordName: target, action: action)))]))
        }
        try await fixture.done([create("root"), pointing("child", "root", .deleteSelf), pointing("grandchild", "child", .deleteSelf)])
        try await fixture.done([pointing("loose", "root", .none), create("kept"), pointing("guard", "kept", .validate)])
        let token = try await fixture.feed().token
        try await fixture.done([RecordOperation(.forceDelete, Record("root"))])
        #expect(try await fixture.feed(token).names == ["-root", "-child", "-grandchild"])
        #expect(try await fixture.done([RecordOperation(.forceDelete, Record("kept"))])[0].error?.code == .validatingReferenceError)
        #expect(try await fixture.done([pointing("x", "nowhere", .validate)])[0].error?.code == .validatingReferenceError)
        try await fixture.done([pointing("guard", "kept", .none)])
        #expect(try await fixture.done([RecordOperation(.forceDelete, Record("kept"))])[0].error == nil)
    }
}

extension RecordResult {
    /// The change tag of a success in whatever form.
    var changeTag: String? {
        switch self {
        case .record(let record): record.changeTag
        case .stored(let stored): stored.head.changeTag
        case .thin(_, let tag, _): tag
        case .failure: nil
        }
    }
}
