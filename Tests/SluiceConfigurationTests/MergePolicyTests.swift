import Foundation
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceConfiguration

/// What an account file says of who wins.
@Suite struct MergePolicyTests {
    private let environment = ConfigurationEnvironment(variables: ["HOME": "/home/ann"])

    private func load(_ entities: String) throws -> AccountConfiguration {
        let folder = try TemporaryFolder()
        try folder.write("schemas/shopping/1.0.0.yaml", sample("schemas/shopping/1.0.0.yaml"))
        let text = """
            service: {url: "https://records.example", container: shop}
            schema: {path: ../schemas/shopping}
            local: {group: shop}
            synced:
              entities:
            """
        return try AccountConfiguration.load(folder.write("accounts.d/ann.yaml", text + "\n" + entities), environment)
    }

    @Test func `a policy stands for an entity or for one of its fields, also for a to-one relationship`() throws {
        let account = try load("    ShoppingItem: {conflicts: clientWins, fields: {quantity: serverWins, list: latestEdit}}\n")
        let rule = try #require(account.synced.policies.entities["ShoppingItem"])
        #expect(rule.conflicts == .clientWins)
        #expect(rule.fields == ["quantity": .serverWins, "list": .latestEdit])
    }

    @Test func `an entity of which nothing is said leaves it to the one that it inherits from`() throws {
        let account = try load("    Entry: {conflicts: serverWins}\n    ShoppingItem: {identity: [id]}\n")
        #expect(account.synced.policies.entities["ShoppingItem"]?.conflicts == nil)
    }

    @Test func `a policy for what is no field, and a word that is no policy, are faults at their place with the nearest name`() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try load("    ShoppingItem:\n      fields:\n        quantty: serverWins\n        name: latestEdits\n    ShoppingList:\n      fields: {items: serverWins}\n")
        }
        #expect(error?.faults.map { "\($0.line):\($0.column) \($0.found)" } == ["8:9 property `quantty`", "9:15 `latestEdits`", "11:16 property `items`"])
        #expect(error?.faults.map(\.suggestion) == ["quantity", "latestEdit", nil])
        #expect(error?.faults.last?.expected.contains("to-many") == true)
    }

    @Test func `only whole numbers are counted, only in single fields, and never what makes a record what it is`() throws {
        let account = try load("    ShoppingItem: {fields: {quantity: counter}}\n")
        #expect(account.synced.policies.entities["ShoppingItem"]?.fields == ["quantity": .counter])
        let error = #expect(throws: ConfigurationError.self) {
            try load("    ShoppingItem: {conflicts: counter, fields: {name: counter, id: counter, list: counter}}\n")
        }
        #expect(
            error?.faults.map(\.found) == [
                "`counter`", "`counter` for name, which is string", "`counter` for id, which is uuid", "`counter` for list, which is a relationship",
            ])
        #expect(error?.faults.first?.expected == "one of latestEdit, serverWins, clientWins")
    }

    @Test func `a field that is no set is refused by name`() throws {
        let error = #expect(throws: ConfigurationError.self) { try load("    ShoppingItem: {fields: {name: union, list: union}}\n") }
        #expect(error?.faults.map(\.found) == ["`union` for name, which is no set", "`union` for list, which is a relationship"])
    }

    @Test func `a function of a program's own cannot be named, and the fault says where it goes`() throws {
        let error = #expect(throws: ConfigurationError.self) { try load("    ShoppingItem: {fields: {name: function}}\n") }
        #expect(error?.faults.map(\.found) == ["`function`"])
        #expect(error?.faults.first?.expected.contains("given in its code") == true)
    }

    @Test func `an entity says what wins against a deletion, in one of two words`() throws {
        #expect(try load("    ShoppingItem: {deletions: editWins}\n").synced.policies.entities["ShoppingItem"]?.deletions == .editWins)
        let error = #expect(throws: ConfigurationError.self) { try load("    ShoppingItem: {deletions: editWin}\n") }
        #expect(error?.faults.map(\.suggestion) == ["editWins"])
    }

    @Test func `a field that is named twice is a fault`() throws {
        let error = #expect(throws: ConfigurationError.self) { try load("    ShoppingItem: {fields: {name: serverWins, name: clientWins}}\n") }
        #expect(error?.faults.map(\.found) == ["key `name` again (first on line 6)"])
    }
}
