import Foundation
import SluiceData

/// A folder for the stores of one test.
final class StoreFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sluice-data-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("could not remove \(url.path): \(error)") }
    }

    func path(_ name: String = "test.store") -> String { url.appending(path: name).path }

    func container(for types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url.appending(path: "test.store"))])
    }
}
