import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What every storage engine answers to queries.
@Suite struct QueryStorageTests {
    private func page(
        _ query: RecordQuery, in fixture: StorageFixture, zone: ZoneID? = ZoneID("Notes"), after: QueryPlace? = nil, limit: Int = 200,
        examined: Int = 100_000, bytes: Int = 4 << 20
    ) async throws -> QueryPage {
        var command = QueryCommand(try QueryRules(query), zone: zone, after: after, limit: limit)
        command.examined = examined
        command.bytes = bytes
        return try await fixture.storage.query(command, in: fixture.database)
    }

    /// The names on all pages, `between` after each.
    private func names(
        _ query: RecordQuery, in fixture: StorageFixture, zone: ZoneID? = ZoneID("Notes"), limit: Int = 200, examined: Int = 100_000,
        bytes: Int = 4 << 20, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [String] {
        var names: [String] = []
        var after: QueryPlace?
        var count = 0
        while true {
            let page = try await page(query, in: fixture, zone: zone, after: after, limit: limit, examined: examined, bytes: bytes)
            #expect(page.records.count <= limit)
            names += page.records.map(\.head.recordName)
            guard let next = page.next else { return names }
            after = next
            count += 1
            try #require(count < 1_000)
            try await between(count)
        }
    }

    private func fill(_ fixture: StorageFixture, _ fields: [String: [String: Field]]) async throws {
        let results = try await fixture.done(fields.sorted { $0.key < $1.key }.map { RecordOperation(.create, note($0.key, $0.value)) })
        try #require(results.allSatisfy { $0.error == nil })
    }

    @Test(arguments: StorageEngine.allCases)
    func `records of the type come by name, and neither tombstones nor other types, zones and databases`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done(["c", "a", "b", "gone"].map(create))
        try await fixture.done([RecordOperation(.create, Record("other", type: "Other")), RecordOperation(.forceDelete, Record("gone"))])
        let neighbour = try await StorageFixture.addUser("bob", to: fixture.storage)
        _ = try await fixture.storage.modifyZones([ZoneOperation(.create, ZoneID("Notes"))], in: neighbour)
        let stranger = PreparedElement.operation(try PreparedOperation(create("stranger")))
        _ = try await fixture.storage.modify(ModifyCommand(database: neighbour, zone: ZoneID("Notes"), isAtomic: true, elements: [stranger]))
        #expect(try await names(RecordQuery("Note"), in: fixture) == ["a", "b", "c"])
        #expect(try await names(RecordQuery("Note"), in: fixture, zone: .defaultZone) == [])
        #expect(try await names(RecordQuery("Nothing"), in: fixture) == [])
        await #expect(throws: StorageError.self) { try await page(RecordQuery("Note"), in: fixture, zone: ZoneID("Gone")) }
    }

    @Test(arguments: StorageEngine.allCases)
    func `sorts decide one after the other, up and down, absent values first, names last`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fill(fixture, [
            "a": ["n": Field(.int64(2)), "t": Field(.string("x"))], "b": ["n": Field(.int64(1)), "t": Field(.string("x"))],
            "c": ["n": Field(.double(1.5)), "t": Field(.string("y"))], "d": ["t": Field(.string("x"))], "e": ["n": Field(.int64(1)), "t": Field(.string("x"))],
        ])
        let (n, t) = (QueryKey.field("n"), QueryKey.field("t"))
        #expect(try await names(RecordQuery("Note", sorts: [QuerySort(n)]), in: fixture) == ["d", "b", "e", "c", "a"])
        #expect(try await names(RecordQuery("Note", sorts: [QuerySort(n, ascending: false)]), in: fixture) == ["a", "c", "b", "e", "d"])
        let two = RecordQuery("Note", sorts: [QuerySort(t, ascending: false), QuerySort(n)])
        #expect(try await names(two, in: fixture) == ["c", "d", "b", "e", "a"])
        for limit in 1...4 { #expect(try await names(two, in: fixture, limit: limit) == ["c", "d", "b", "e", "a"]) }
        let late = QuerySort(.system(.recordName), ascending: false)
        #expect(try await names(RecordQuery("Note", sorts: [late]), in: fixture, limit: 2) == ["e", "d", "c", "b", "a"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `system fields are asked for and sorted by like others`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("a")])
        let time = fixture.clock.now
        fixture.clock.advance(days: 1)
        try await fixture.done([create("b"), RecordOperation(.forceUpdate, note("a", ["n": Field(.int64(5))]))])
        var child = note("c")
        child.parent = "a"
        fixture.clock.advance(days: 1)
        try await fixture.done([RecordOperation(.create, child)])
        let owner = try #require(await fixture.record("a")?.created?.userRecordName)
        func asked(_ field: SystemField, _ comparator: QueryComparator, _ value: FieldValue) async throws -> [String] {
            try await names(RecordQuery("Note", filters: [QueryFilter(.system(field), comparator, value)]), in: fixture)
        }
        #expect(try await asked(.createdTimestamp, .lessThanOrEquals, .timestamp(time)) == ["a"])
        #expect(try await asked(.modifiedTimestamp, .greaterThan, .int64(time)) == ["a", "b", "c"])
        #expect(try await asked(.recordName, .in, .referenceList([Reference(recordName: "b"), Reference(recordName: "x")])) == ["b"])
        #expect(try await asked(.recordName, .greaterThan, .string("a")) == ["b", "c"])
        #expect(try await asked(.parent, .equals, .reference(Reference(recordName: "a"))) == ["c"])
        #expect(try await asked(.parent, .notEquals, .reference(Reference(recordName: "a"))) == ["a", "b"])
        #expect(try await asked(.share, .equals, .string("a")) == [])
        #expect(try await asked(.createdUserRecordName, .equals, .string(owner)) == ["a", "b", "c"])
        #expect(try await asked(.modifiedUserRecordName, .notEquals, .reference(Reference(recordName: owner))) == [])
        let newest = RecordQuery("Note", sorts: [QuerySort(.system(.createdTimestamp), ascending: false)])
        #expect(try await names(newest, in: fixture, limit: 1) == ["c", "b", "a"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a page may end early, and the pages together are everything once`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let all = (0..<25).map { "r\($0 / 10)\($0 % 10)" }
        try await fixture.done(all.map { RecordOperation(.create, note($0, ["n": Field(.int64($0.hasSuffix("3") ? 1 : 0)), "d": Field(.bytes(Data(count: 300)))])) })
        for limit in [1, 7, 24, 25, 26] { #expect(try await names(RecordQuery("Note"), in: fixture, limit: limit) == all) }
        for examined in [1, 4, 25, 26] { #expect(try await names(RecordQuery("Note"), in: fixture, examined: examined) == all) }
        #expect(try await names(RecordQuery("Note"), in: fixture, bytes: 1_000) == all)
        let few = RecordQuery("Note", filters: [QueryFilter(.field("n"), .equals, .int64(1))])
        #expect(try await names(few, in: fixture, limit: 1, examined: 2) == ["r03", "r13", "r23"])
        let sorted = RecordQuery("Note", sorts: [QuerySort(.field("n"), ascending: false)])
        let expected = ["r03", "r13", "r23"] + all.filter { !$0.hasSuffix("3") }
        for limit in [1, 7, 25] { #expect(try await names(sorted, in: fixture, limit: limit) == expected) }
        #expect(try await names(sorted, in: fixture, bytes: 1_000) == expected)
    }

    @Test(arguments: StorageEngine.allCases, [false, true])
    func `whatever is written between pages, an untouched record comes exactly once`(engine: StorageEngine, isSorted: Bool) async throws {
        let fixture = try await StorageFixture(engine)
        let untouched = (0..<12).map { "r\($0 + 10)" }
        try await fixture.done(untouched.map { RecordOperation(.create, note($0, ["n": Field(.int64(Int64($0.suffix(2)) ?? 0))])) })
        try await fixture.done((0..<6).map { RecordOperation(.create, note("x\($0)", ["n": Field(.int64(Int64($0) * 3 + 9))])) })
        let query = RecordQuery("Note", sorts: isSorted ? [QuerySort(.field("n"))] : [])
        let found = try await names(query, in: fixture, limit: 4) { round in
            // One goes, one moves to the end, one comes; the record that the marker names may be the one that goes.
            try await fixture.done([
                RecordOperation(.forceDelete, Record("x\(round - 1)")), RecordOperation(.forceUpdate, note("x\(round)", ["n": Field(.int64(99))])),
                RecordOperation(.create, note("y\(round)", ["n": Field(.int64(Int64(round)))])),
            ])
        }
        #expect(found.filter { $0.hasPrefix("r") } == untouched)
    }

    @Test(arguments: StorageEngine.allCases)
    func `all zones are asked at once, in one order`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        _ = try await fixture.storage.modifyZones([ZoneOperation(.create, ZoneID("Archive"))], in: fixture.database)
        for (zone, name, number) in [("Notes", "b", 1), ("Archive", "a", 3), ("Archive", "b", 1), ("_defaultZone", "a", 2)] {
            let operation = RecordOperation(.create, note(name, ["n": Field(.int64(Int64(number)))]))
            _ = try await fixture.modify([operation], atomic: false, zone: ZoneID(zone))
        }
        func places(_ query: RecordQuery, limit: Int) async throws -> [String] {
            var (found, after): ([String], QueryPlace?) = ([], nil)
            repeat {
                let page = try await page(query, in: fixture, zone: nil, after: after, limit: limit)
                found += page.records.map { "\($0.head.zoneID?.zoneName ?? "")/\($0.head.recordName)" }
                after = page.next
            } while after != nil
            return found
        }
        for limit in 1...4 {
            #expect(try await places(RecordQuery("Note"), limit: limit) == ["Archive/a", "Archive/b", "Notes/b", "_defaultZone/a"])
            let sorted = RecordQuery("Note", sorts: [QuerySort(.field("n"))])
            #expect(try await places(sorted, limit: limit) == ["Archive/b", "Notes/b", "_defaultZone/a", "Archive/a"])
        }
    }

    @Test(arguments: StorageEngine.allCases)
    func `places sort by their distance, and long texts by their beginning`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let long = String(repeating: "é", count: 600)
        try await fill(fixture, [
            "lyon": ["p": Field(.location(Location(latitude: 45.764, longitude: 4.8357))), "t": Field(.string(long + "b"))],
            "paris": ["p": Field(.location(Location(latitude: 48.8566, longitude: 2.3522))), "t": Field(.string(long + "a"))],
            "suva": ["p": Field(.location(Location(latitude: -18.1416, longitude: 178.4419))), "t": Field(.string("é"))], "where": [:],
        ])
        let here = Location(latitude: -13.8, longitude: -172)
        let near = RecordQuery("Note", sorts: [QuerySort(.field("p"), relativeLocation: here)])
        for limit in [1, 4] { #expect(try await names(near, in: fixture, limit: limit) == ["where", "suva", "paris", "lyon"]) }
        // Both long texts have the same first 1,024 bytes.
        for limit in [1, 4] {
            #expect(try await names(RecordQuery("Note", sorts: [QuerySort(.field("t"))]), in: fixture, limit: limit) == ["where", "suva", "lyon", "paris"])
        }
    }

    @Test(arguments: StorageEngine.allCases)
    func `nobody filters or sorts by an encrypted field`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fill(fixture, ["a": ["s": Field(.string("secret"), isEncrypted: true), "n": Field(.int64(1))]])
        for query in [
            RecordQuery("Note", filters: [QueryFilter(.field("s"), .equals, .string("secret"))]), RecordQuery("Note", sorts: [QuerySort(.field("s"))]),
        ] {
            let error = await #expect(throws: StorageError.self) { try await page(query, in: fixture) }
            #expect(error?.description.hasPrefix("Field 's' has a value type of ENCRYPTED_STRING and cannot be") == true)
        }
        #expect(try await names(RecordQuery("Note", filters: [QueryFilter(.field("n"), .equals, .int64(1))]), in: fixture) == ["a"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a sort over more records than one request may look at is refused`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done(["a", "b", "c"].map(create))
        var command = QueryCommand(try QueryRules(RecordQuery("Note", sorts: [QuerySort(.field("n"))])), zone: fixture.zone, limit: 1)
        command.sorted = 3
        #expect(try await fixture.storage.query(command, in: fixture.database).records.count == 1)
        command.sorted = 2
        await #expect(throws: StorageError.self) { try await fixture.storage.query(command, in: fixture.database) }
    }
}
