import Foundation
import SluiceGroup
import SluiceReader
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// Group containers of a running account.
@Suite(.timeLimit(.minutes(10))) struct AccountProjectionTests {
    private func plan(_ fixture: SyncFixture, _ groups: [(String, [Projection])]) throws -> AccountPlan {
        var plan = try fixture.plan("a")
        plan.groups = groups.map { name, projections in
            GroupPlan(name: name, directory: fixture.folder.appending(path: "groups/\(name)").path, unixGroup: nil, projections: projections)
        }
        return plan
    }

    private func container(_ fixture: SyncFixture, _ name: String) -> GroupContainer {
        GroupContainer(directory: fixture.folder.appending(path: "groups/\(name)").path)
    }

    @Test func `each group container is filled by its own rules, and one that cannot be written holds up no other`() async throws {
        try await SyncFixture.with { fixture in
            let cheap = Projection("Item", where: try RowFilter(parsing: "price < 2"), derived: [.init("listTitle", try FilterExpression(parsing: "list.title"))])
            let plan = try plan(fixture, [("all", []), ("cheap", [cheap])])
            try await fixture.run(plan) { account in
                let list = try await account.put(PutRequest(entity: "List", properties: ["title": .string("food")])).name
                for price in [1.0, 3.0] {
                    _ = try await account.put(
                        PutRequest(entity: "Item", properties: ["title": .string("x"), "price": .double(price), "list": .string(list)]))
                }
                _ = try await account.settle()
                #expect(try container(fixture, "all").read { try $0.count(of: "Item") } == 2)
                let rows = try container(fixture, "cheap").read { try $0.rows(of: "Item") }
                #expect(rows.map { $0.attributes["listTitle"] } == [.string("food")])
                #expect(try container(fixture, "cheap").read { $0.entities.map(\.name) } == ["Item"])
            }
        }
    }

    @Test func `a rebuild moves the pointer to a new store, and an explanation says what fills it`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(plan(fixture, [("all", []), ("items", [Projection("Item")])])) { account in
                _ = try await account.put(PutRequest(entity: "Item", properties: ["title": .string("x")]))
                _ = try await account.settle()
                let before = try await account.explainProjections(group: "items")
                let rebuilt = try await account.rebuildLocalStores(RebuildRequest(group: "items"))
                #expect(rebuilt.groups.map(\.group) == ["items"] && rebuilt.groups[0].rows == ["Item": 1])
                #expect(before[0].file == "Local.1.store" && rebuilt.groups[0].file == "Local.2.store")
                #expect(try container(fixture, "items").read { try $0.count(of: "Item") } == 1)
                #expect(try await account.explainProjections(group: nil).map(\.group) == ["all", "items"])
                #expect(before[0].rules[0].rowsShown == 1)
                await #expect(throws: ControlFailure.self) { try await account.rebuildLocalStores(RebuildRequest(group: "none")) }
            }
        }
    }
}
