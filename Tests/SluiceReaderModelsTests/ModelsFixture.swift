import Foundation
import SluiceData
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

/// A synced store of errands, and a group container that is filled from it.
final class ModelsFixture {
    let folder: URL
    let store: Store
    let writer: LocalStoreWriter

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = try SluiceData.Schema([Owner.Errand.self, Owner.Shelf.self]).storeSchema(named: "errands")
        store = try Store(path: folder.appending(path: "Private.store").path, schema: schema, options: Store.Options(zone: "errands"))
        writer = try LocalStoreWriter(
            group: GroupDirectory(preparing: folder.appending(path: "groups/errands").path, unixGroup: nil),
            projections: Projection.everything(in: schema), privateStoreSchema: schema)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    var errandCount: Int { get throws { try store.count(of: #require(store.layout.entities["Errand"])) } }
    var groups: String { folder.appending(path: "groups").path }

    func put(_ titles: String...) throws {
        try store.write {
            try store.put("Shelf", name: .text("S"), RowEdit(attributes: ["label": .string("top")]))
            for title in titles {
                let edit = RowEdit(attributes: ["id": .uuid(UUID()), "title": .string(title)], references: ["shelf": .text("S")])
                try store.put("Errand", name: .text(title), edit)
            }
        }
        try writer.update(from: store)
    }

    /// Names, sizes and dates of what lies in the container, the shared memory of readers apart.
    func listing() throws -> [String] {
        let group = groups + "/errands"
        return try FileManager.default.subpathsOfDirectory(atPath: group).sorted().filter { !$0.hasSuffix("-shm") }.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(group)/\(name)")
            return "\(name) \(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? "")"
        }
    }
}
