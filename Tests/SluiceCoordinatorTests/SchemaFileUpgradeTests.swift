import Foundation
import SluiceConfiguration
import SluiceRecords
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// An account whose schema files grow, with the sample's versions.
@Suite(.timeLimit(.minutes(10))) struct SchemaFileUpgradeTests {
    private static let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Config/schemas/tasks").path

    /// The plan of an account file that names the sample's versions up to one.
    private func plan(_ fixture: SyncFixture, _ name: String, upTo version: Int) throws -> AccountPlan {
        let folder = fixture.folder.appending(path: "schemas-\(name)-\(version)/tasks").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 1...version {
            try FileManager.default.copyItem(atPath: "\(Self.samples)/\(number).0.0.yaml", toPath: "\(folder)/\(number).0.0.yaml")
        }
        let template = try fixture.plan(name)
        let file = fixture.folder.appending(path: "\(name).yaml")
        let text = """
            service: {url: "\(template.service.url)", container: iCloud.test, environment: development}
            credentials: {userTokenCredential: token}
            schema: {path: \(folder)}
            synced: {stateDirectory: \(template.stateDirectory)}
            local: {group: tasks, groupsDirectory: \(fixture.folder.path)/groups-\(name)}
            """
        try Data(text.utf8).write(to: file)
        let environment = ConfigurationEnvironment(variables: [:])
        var plan = try AccountPlan(AccountConfiguration.load(file.path, environment), environment)
        (plan.http, plan.credentials) = (template.http, template.credentials)
        return plan
    }

    private func put(_ account: AccountRuntime, _ title: String, _ properties: [String: ScalarForm]) async throws {
        let values = properties.merging(["id": .string(UUID().uuidString), "title": .string(title)]) { first, _ in first }
        _ = try await account.put(PutRequest(entity: "Task", properties: values))
    }

    @Test func `a synced store goes through the stages of the account's schema files`() async throws {
        try await SyncFixture.with { fixture in
            let before = try await fixture.run(plan(fixture, "a", upTo: 1)) { account in
                let project = UUID().uuidString
                _ = try await account.put(PutRequest(entity: "Project", properties: ["id": .string(project), "name": .string("home")]))
                try await put(account, "paint", ["priority": .string("high"), "assignee": .string("Doe, Jane"), "project": .string(project)])
                try await put(account, "sweep", ["assignee": .string("Prince"), "project": .string(project), "done": .boolean(true)])
                try await put(account, " ", [:])
                return try await account.settle()
            }
            #expect(before.entities == ["Project": 1, "Task": 3])
            let after = try await fixture.run(plan(fixture, "a", upTo: 3)) { account in
                let paint = try await account.query(QueryRequest(entity: "Task", filter: "name == 'paint'")).rows.first
                #expect(paint?.attributes["rank"] == .integer(1))
                #expect(paint?.attributes["givenName"] == .string("Jane"))
                #expect(paint?.attributes["familyName"] == .string("Doe"))
                let list = try await account.query(QueryRequest(entity: "List", filter: "open == 1"))
                #expect(list.count == 1)
                return try await account.settle()
            }
            #expect(after.state == "idle", "\(after.reason ?? "")")
            #expect(after.entities == ["List": 1, "Task": 2])
        }
    }

    @Test func `a stage that fails leaves the store, and the account says which edit of which version`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await fixture.run(plan(fixture, "a", upTo: 1)) { account in
                try await put(account, "paint", ["priority": .string("high")])
                return try await account.settle()
            }
            var failing = try plan(fixture, "a", upTo: 2)
            let folder = fixture.folder.appending(path: "schemas-a-2/tasks/2.0.0.yaml")
            let text = try String(contentsOf: folder, encoding: .utf8).replacing("WHEN 'high' THEN 1", with: "WHEN 'high' THEN 'first'")
            try Data(text.utf8).write(to: folder)
            let environment = ConfigurationEnvironment(variables: [:])
            let loaded = try AccountPlan(AccountConfiguration.load(fixture.folder.appending(path: "a.yaml").path, environment), environment)
            failing.upgradePlan = loaded.upgradePlan
            let status = try await fixture.run(failing) { account in
                _ = try await eventually { account.status.state == "blocked" }
                return account.status
            }
            #expect(status.state == "blocked")
            #expect(
                status.reason?.contains("version 2.0.0, after, edit 1, Task.rank: 1 row would get a value that is no int16") == true,
                "\(status.reason ?? "")")
            #expect(try SluiceStoreSchema.read(failing.stateDirectory)?.version == SchemaVersion(1, 0, 0))
        }
    }
}
