import Foundation
import SluiceGroup
import SluiceReader
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// Values by key: those of helpers, and those that all devices share.
@Suite(.timeLimit(.minutes(3))) struct KeyValueTests {
    private func plan(_ fixture: SyncFixture, _ name: String) throws -> AccountPlan {
        var plan = try fixture.plan(name)
        plan.keepsKeyValues = true
        return plan
    }

    private func settle(_ account: AccountRuntime) async throws {
        // What arrives for the one may wake the other.
        var status = try await account.sync(SyncRequest(waits: true))
        for _ in 0..<10 where status.state != "idle" || status.keyValues?.state != "idle" {
            status = try await account.sync(SyncRequest(waits: true))
        }
        try #require(status.state == "idle" && status.keyValues?.state == "idle", "\(status)")
    }

    @Test func `a value set on one device arrives on another, as news there and not here, and is in nobody's records`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(plan(fixture, "a")) { a in
                try await fixture.run(plan(fixture, "b")) { b in
                    try await settle(a)
                    try await settle(b)
                    var news = try await b.syncedValueChanges().makeAsyncIterator()
                    let own = try await a.syncedValueChanges()
                    let values: [String: SharedValue] = [
                        "theme": .string("dark"), "count": .integer(.max), "ratio": .double(.nan), "on": .boolean(true),
                        "when": .date(Date(timeIntervalSince1970: 1_767_225_600.125)), "bytes": .data(Data([0, 255])),
                        "list": .list([.string("x"), .double(1), .list([])]),
                    ]
                    for (key, value) in values { try await a.setSyncedValue(value, for: key) }
                    try await settle(a)
                    try await settle(b)
                    let arrived = try await b.syncedValues()
                    #expect(arrived.filter { $0.key != "ratio" } == values.filter { $0.key != "ratio" })
                    if case .double(let number)? = arrived["ratio"] { #expect(number.isNaN) } else { Issue.record("\(arrived)") }
                    var keys: Set<String> = []
                    while keys.count < values.count, let change = await news.next() {
                        #expect(change.reason == .server || change.reason == .initialSync)
                        keys.formUnion(change.keys)
                    }
                    #expect(keys == Set(values.keys))
                    // b's edit is the first that a hears of.
                    try await b.setSyncedValue(nil, for: "theme")
                    try await settle(b)
                    try await settle(a)
                    var heard = own.makeAsyncIterator()
                    let change = await heard.next()
                    #expect(change?.reason == .server && change?.keys == ["theme"])
                    #expect(try await a.syncedValues()["theme"] == nil)
                    let status = try await a.settle()
                    #expect(status.entities == ["Item": 0, "List": 0])
                }
            }
        }
    }

    @Test func `the latest edit of a key wins, whether it sets or removes`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(plan(fixture, "a")) { a in
                try await fixture.run(plan(fixture, "b")) { b in
                    try await a.setSyncedValue(.string("first"), for: "x")
                    try await a.setSyncedValue(.string("first"), for: "y")
                    try await settle(a)
                    try await settle(b)
                    let values = try #require(a.keyValues)
                    _ = try await values.setPaused(true)
                    try await a.setSyncedValue(nil, for: "x")
                    try await a.setSyncedValue(.string("older"), for: "y")
                    try await Task.sleep(for: .milliseconds(20))
                    try await b.setSyncedValue(.string("later"), for: "x")
                    try await b.setSyncedValue(nil, for: "y")
                    try await settle(b)
                    _ = try await values.setPaused(false)
                    try await settle(a)
                    try await settle(b)
                    #expect(try await a.syncedValues() == ["x": .string("later")])
                    #expect(try await b.syncedValues() == ["x": .string("later")])
                }
            }
        }
    }

    @Test func `what does not fit is refused and changes nothing, and values outlast a restart`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try plan(fixture, "a")
            try await fixture.run(plan) { a in
                await #expect(throws: KeyValueFault.self) { try await a.setSyncedValue(.data(Data(count: 600_000)), for: "large") }
                await #expect(throws: SharedDefaultsFault.self) { try await a.setSyncedValue(.integer(1), for: String(repeating: "é", count: 33)) }
                await #expect(throws: SharedDefaultsFault.self) { try await a.setSyncedValue(.integer(1), for: "") }
                for index in 0..<KeyValueLimits.keyCountMax { try await a.setSyncedValue(.integer(1), for: "key \(index)") }
                await #expect(throws: KeyValueFault.self) { try await a.setSyncedValue(.integer(1), for: "one more") }
                try await a.setSyncedValue(nil, for: "key 0")
                try await a.setSyncedValue(.integer(2), for: "one more")
            }
            try await fixture.run(plan) { a in
                let values = try await a.syncedValues()
                #expect(values.count == KeyValueLimits.keyCountMax && values["one more"] == .integer(2))
            }
        }
    }

    @Test func `an account that keeps no synced values says what to write`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(fixture.plan("a")) { a in
                let failure = await #expect(throws: ControlFailure.self) { try await a.setSyncedValue(.integer(1), for: "x") }
                #expect(failure?.message.contains("keyValues: true") == true)
                #expect(a.status.keyValues == nil)
            }
        }
    }

    @Test func `helpers read shared defaults without credentials, of their group container, over restarts and rebuilds`() async throws {
        try await SyncFixture.with { fixture in
            var plan = try fixture.plan("a")
            plan.groups = ["one", "two"].map {
                GroupPlan(name: $0, directory: fixture.folder.appending(path: $0).path, unixGroup: nil, projections: [])
            }
            let one = GroupContainer(directory: fixture.folder.appending(path: "one").path)
            let two = GroupContainer(directory: fixture.folder.appending(path: "two").path)
            try await fixture.run(plan) { a in
                try await a.setSharedDefault(.string("dark"), for: "theme", group: nil)
                try await a.setSharedDefault(.double(3), for: "scale", group: "one")
                #expect(try one.defaults().values == ["theme": .string("dark"), "scale": .double(3)])
                #expect(try two.defaults().string(forKey: "theme") == "dark" && two.defaults()["scale"] == nil)
                _ = try await a.rebuildLocalStores(RebuildRequest(group: nil))
                #expect(try one.defaults().double(forKey: "scale") == 3)
                await #expect(throws: SharedDefaultsFault.self) {
                    try await a.setSharedDefault(.string(String(repeating: "x", count: 40_000)), for: "long", group: "one")
                }
                try await a.setSharedDefault(nil, for: "theme", group: "two")
                #expect(try two.defaults().values.isEmpty && one.defaults().values.count == 2)
            }
            // The file is a copy: one that is lost is written again at the next start.
            try FileManager.default.removeItem(atPath: one.directory + "/defaults.json")
            try await fixture.run(plan) { _ = try await $0.settle() }
            #expect(try one.defaults().values == ["theme": .string("dark"), "scale": .double(3)])
            // And where the state directory is lost, it is what is left.
            try FileManager.default.removeItem(atPath: plan.stateDirectory)
            try await fixture.run(plan) { a in
                let kept = try await a.sharedDefaults(group: "one")
                #expect(kept[0].values.count == 2)
            }
        }
    }
}
