import Foundation
import SluiceGroup
import SluiceReader
import SluiceSchema
import SluiceStore

/// A synced store of items, and a group container that is filled from it.
final class ReaderFixture {
    let folder: URL
    let store: Store

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Store(
            path: folder.appending(path: "Private.store").path, schema: Schema(name: "test", validating: Self.entities),
            options: Store.Options(zone: "test"))
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static let entities = [
        Entity("List", attributes: [Attribute("name", .string)]),
        Entity(
            "Item",
            attributes: [
                Attribute("title", .string), Attribute("count", .int64, isOptional: true), Attribute("price", .double, isOptional: true),
                Attribute("isDone", .boolean, defaultValue: .boolean(false)), Attribute("due", .date, isOptional: true),
            ], relationships: [Relationship("list", to: "List")]),
    ]

    var group: String { folder.appending(path: "group").path }
    var container: GroupContainer { GroupContainer(directory: group) }

    /// Makes the container's directory where it is missing.
    func writer(options: LocalStoreWriter.Options = .init()) throws -> LocalStoreWriter {
        try LocalStoreWriter(
            group: GroupDirectory(preparing: group, unixGroup: nil), projections: Projection.everything(in: store.layout.schema),
            privateStoreSchema: store.layout.schema, options: options)
    }

    func put(_ title: String, _ attributes: [String: PropertyValue] = [:], list: String? = nil) throws {
        var edit = RowEdit(attributes: attributes.merging(["title": .string(title)]) { $1 })
        if let list { edit.references["list"] = .text(list) }
        try store.write {
            if let list { try store.put("List", name: .text(list), RowEdit(attributes: ["name": .string(list)])) }
            try store.put("Item", name: .text(title), edit)
        }
    }
}

/// Asks again until it is so; a minute at most.
func eventually(_ condition: () throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}
