import Foundation
import SluiceSchema
import SluiceSQLite

@testable import SluiceStore

/// A store in a folder of its own, with a clock that a test moves.
final class StoreFixture {
    let folder: URL
    let store: Store
    let clock: TestClock

    final class TestClock: @unchecked Sendable {
        // Tests use one thread.
        var now = Date(timeIntervalSince1970: 1_700_000_000)
    }

    init(_ entities: [Entity], capturesChanges: Bool = true) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let clock = TestClock()
        self.clock = clock
        store = try Self.open(folder, entities, clock: clock, capturesChanges: capturesChanges)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static func open(_ folder: URL, _ entities: [Entity], clock: TestClock, capturesChanges: Bool = true) throws -> Store {
        var options = Store.Options(zone: "test")
        options.capturesChanges = capturesChanges
        options.now = { clock.now }
        return try Store(
            path: folder.appending(path: "Private.store").path, schema: Schema(name: "test", validating: entities), options: options)
    }
}

extension [Entity] {
    static let shop: [Entity] = [
        Entity(
            "List", attributes: [Attribute("title", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)]),
        Entity(
            "Item",
            attributes: [
                Attribute("sku", .string, isOptional: true), Attribute("price", .double, isOptional: true),
                Attribute("due", .date, isOptional: true), Attribute("count", .int32, defaultValue: .integer(1)),
            ],
            relationships: [
                Relationship("list", to: "List", inverse: "items"), Relationship("tags", to: "Tag", isToMany: true, inverse: "items"),
            ], uniqueness: [["sku"]]),
        Entity(
            "Tag", attributes: [Attribute("label", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "tags")], identity: ["label"]),
    ]
}

extension Store {
    /// With their bytes, the oldest first.
    func frozenOperations() throws -> [FrozenOperation] { try frozenOperationNumbers().compactMap { try frozenOperation($0) } }
}
