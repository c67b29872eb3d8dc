import Foundation
import SluiceData

/// A model with large values of every kind that may lie outside its row.
@Model
final class Portrait {
    var title: String
    @Attribute(.externalStorage) var image: Data?
    @Attribute(.externalStorage) var scan: Data = Data()
    @Attribute(.externalStorage) var strokes: Strokes?
    /// Not external: in its row, whatever its size.
    var thumbnail: Data?
    var sitter: Sitter?

    init(title: String, image: Data? = nil, sitter: Sitter? = nil) {
        self.title = title
        self.image = image
        self.sitter = sitter
    }
}

@Model
final class Sitter {
    var name: String
    @Relationship(inverse: \Portrait.sitter) var portraits: [Portrait] = []

    init(name: String) { self.name = name }
}

struct Strokes: Codable, Equatable {
    var points: [Int]
}

/// A container in a folder of its own, and a look at what lies there.
final class Studio {
    let folder: URL
    let container: ModelContainer
    let context: ModelContext

    init(inMemory: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-studio-\(UUID().uuidString)")
        let configuration =
            inMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.appending(path: "Studio.store"))
        container = try ModelContainer(for: Portrait.self, configurations: configuration)
        context = ModelContext(container)
    }

    deinit {
        // A store in memory has none; the system's temporary directory is emptied anyway.
        try? FileManager.default.removeItem(at: folder)
    }

    /// A context that knows nothing of what the first one holds.
    var other: ModelContext { ModelContext(container) }

    var support: URL { folder.appending(path: ".Studio_SUPPORT") }

    /// The files of external values.
    func files() throws -> [URL] {
        let found = FileManager.default.enumerator(at: support, includingPropertiesForKeys: [.isRegularFileKey])
        return try (found?.compactMap { $0 as? URL } ?? []).filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }
    }

    static func bytes(_ count: Int, _ seed: UInt8 = 1) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) ^ seed }) }
}
