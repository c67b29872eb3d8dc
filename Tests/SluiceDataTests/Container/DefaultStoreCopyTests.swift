import Foundation
import Testing

@testable import SluiceData

/// What happens to a program's store when it joins a group (behaviours 74 and 75).
struct DefaultStoreCopyTests {
    private func withLocations(_ body: (URL, StoreLocations) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-copy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder, StoreLocations(variables: ["XDG_DATA_HOME": folder.path], application: "notes", home: folder.path))
    }

    private func configuration(_ locations: StoreLocations, group: String? = nil) -> ModelConfiguration {
        ModelConfiguration(
            nil, schema: nil, isStoredInMemoryOnly: false, groupContainer: group.map { .identifier($0) } ?? .none, locations: locations)
    }

    private func fill(_ configuration: ModelConfiguration, _ titles: [String]) throws {
        let context = ModelContext(try ModelContainer(for: Volume.self, configurations: configuration))
        for title in titles { context.insert(Volume(title: title)) }
        try context.save()
    }

    @Test func `behaviour 74: the default store is copied into the group container, once, and stays where it was`() throws {
        try withLocations { folder, locations in
            let before = configuration(locations)
            try fill(before, ["one", "two"])
            let grouped = configuration(locations, group: "shared")
            #expect(grouped.url.path.hasPrefix(folder.appending(path: "sluice/groups/shared").path))
            let copy = try #require(DefaultStoreCopy(grouped, locations: locations))
            try copy.run()
            #expect(DefaultStoreCopy(grouped, locations: locations) == nil)
            let context = ModelContext(try ModelContainer(for: Volume.self, configurations: grouped))
            #expect(try context.all(Volume.self).map(\.title).sorted() == ["one", "two"])
            context.insert(Volume(title: "three"))
            try context.save()
            #expect(try ModelContext(try ModelContainer(for: Volume.self, configurations: before)).fetchCount(FetchDescriptor<Volume>()) == 2)
            let names = try FileManager.default.contentsOfDirectory(atPath: grouped.url.deletingLastPathComponent().path)
            #expect(!names.contains { $0.contains("partial") })
        }
    }

    @Test func `behaviour 74: rows that lie in the write-ahead log alone are copied too`() throws {
        try withLocations { _, locations in
            let before = configuration(locations)
            let context = ModelContext(try ModelContainer(for: Volume.self, configurations: before))
            for number in 0..<50 { context.insert(Volume(title: "\(number)")) }
            try context.save()
            let grouped = configuration(locations, group: "shared")
            try DefaultStoreCopy(grouped, locations: locations)?.run()
            #expect(try ModelContext(try ModelContainer(for: Volume.self, configurations: grouped)).fetchCount(FetchDescriptor<Volume>()) == 50)
        }
    }

    @Test func `behaviour 74: values that lie outside the store come along, open to the group like the store`() throws {
        try withLocations { folder, locations in
            let before = configuration(locations)
            let context = ModelContext(try ModelContainer(for: Portrait.self, configurations: before))
            let values = [Studio.bytes(300_000, 1), Studio.bytes(300_000, 2)]
            for (number, value) in values.enumerated() { context.insert(Portrait(title: "\(number)", image: value)) }
            try context.save()
            let grouped = configuration(locations, group: "shared")
            try FileManager.default.createDirectory(
                at: grouped.url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
            try DefaultStoreCopy(grouped, locations: locations)?.run()
            // The original may go.
            try FileManager.default.removeItem(at: before.url.deletingLastPathComponent())
            let copied = try ModelContext(try ModelContainer(for: Portrait.self, configurations: grouped))
                .fetch(FetchDescriptor<Portrait>(sortBy: [SortDescriptor(\.title)]))
            #expect(copied.map(\.image) == values)
            let support = grouped.url.deletingLastPathComponent().appending(path: ".default_SUPPORT").path
            #expect(try FileManager.default.attributesOfItem(atPath: support)[.posixPermissions] as? Int == 0o750)
        }
    }

    @Test func `behaviour 75: a store at a custom URL is not copied`() throws {
        try withLocations { folder, locations in
            try fill(configuration(locations), ["one"])
            let custom = ModelConfiguration(url: folder.appending(path: "custom.store"))
            #expect(DefaultStoreCopy(custom, locations: locations) == nil)
            #expect(try ModelContext(try ModelContainer(for: Volume.self, configurations: custom)).fetchCount(FetchDescriptor<Volume>()) == 0)
        }
    }

    @Test func `a default store that is damaged is not copied, and the group container gets none`() throws {
        try withLocations { _, locations in
            let before = configuration(locations)
            try FileManager.default.createDirectory(at: before.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(repeating: 7, count: 9_000).write(to: before.url)
            let grouped = configuration(locations, group: "shared")
            #expect(throws: (any Error).self) { try DefaultStoreCopy(grouped, locations: locations)?.run() }
            #expect(!FileManager.default.fileExists(atPath: grouped.url.path))
        }
    }
}
