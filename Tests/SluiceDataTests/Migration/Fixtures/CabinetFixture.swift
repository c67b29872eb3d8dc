import Foundation
import SluiceData
import SluiceSQLite
import Testing

/// What is in a store of each version, whoever made it; and how the files in Tests/Fixtures/Cabinet are made.
enum CabinetFixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Cabinet")

    static func url(_ version: Int) -> URL { folder.appending(path: "\(version).0.0.store") }

    static let drawers: [(name: String, opened: Date?)] = [
        // The decomposed form of é: the file has the text as it was given, and its other form beside it.
        ("cafe\u{301}", Date(timeIntervalSinceReferenceDate: 700_000_000.25)), ("empty", nil),
    ]
    static let boxes: [(title: String, kilograms: Double, serial: String, contents: Data?, tags: [String])] = [
        ("tin", 0.25, "00000000-0000-4000-8000-000000000001", Data([0, 255, 7]), ["red", "round"]),
        ("jar \u{1F36F}", 1.5, "00000000-0000-4000-8000-000000000002", nil, ["round"]),
        ("", 0, "00000000-0000-4000-8000-000000000003", Data(), []),
    ]

    /// What a fetch with the newest classes finds, line by line.
    static func lines(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        var lines = try context.fetch(FetchDescriptor<CabinetV3.Drawer>(sortBy: [SortDescriptor(\.name)])).map { drawer in
            "drawer \(drawer.name) \(drawer.opened.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "nil") \(drawer.boxes.count)"
        }
        lines += try context.fetch(FetchDescriptor<CabinetV3.Box>()).sorted { $0.serial.uuidString < $1.serial.uuidString }.map { box in
            "box \(box.title) \(box.grams) \(box.serial) \(box.contents.map { Array($0).description } ?? "nil") \(box.note) "
                + "\(box.drawer?.name ?? "nil") \(box.tags.map(\.name).sorted())"
        }
        return try lines + context.fetch(FetchDescriptor<CabinetV3.Tag>(sortBy: [SortDescriptor(\.name)])).map { "tag \($0.name) \($0.boxes.count)" }
    }

    /// - Parameter note: what the fixture of the version says of its boxes; before the second there are no notes.
    static func expected(note: String) -> [String] {
        drawers.map { "drawer \($0.name) \($0.opened.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "nil") \($0.name == "empty" ? 0 : 3)" }
            + boxes.map { box in
                "box \(box.title) \(Int(box.kilograms * 1_000)) \(box.serial) \(box.contents.map { Array($0).description } ?? "nil") \(note) "
                    + "\(drawers[0].name) \(box.tags)"
            } + ["tag red 1", "tag round 2"]
    }

    // MARK: Making them

    /// Makes the store of a version with that version's own classes.
    static func make(_ version: Int, at url: URL) throws {
        switch version {
        case 1: try fillFirst(ModelContext(container(CabinetV1.self, url)))
        case 2: try fillSecond(ModelContext(container(CabinetV2.self, url)))
        default: try fillThird(ModelContext(container(CabinetV3.self, url)))
        }
    }

    private static func container(_ version: any VersionedSchema.Type, _ url: URL) throws -> ModelContainer {
        try ModelContainer(for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: url)])
    }

    private static func fillFirst(_ context: ModelContext) throws {
        let rows = drawers.map { CabinetV1.Drawer(label: $0.name, opened: $0.opened) }
        let tags = ["red", "round"].map(CabinetV1.Tag.init)
        rows.forEach(context.insert)
        for box in boxes {
            let row = CabinetV1.Box(
                title: box.title, weight: box.kilograms, serial: try #require(UUID(uuidString: box.serial)), contents: box.contents)
            context.insert(row)
            row.drawer = rows[0]
            row.tags = tags.filter { box.tags.contains($0.name) }
        }
        try context.save()
    }

    private static func fillSecond(_ context: ModelContext) throws {
        let rows = drawers.map { CabinetV2.Drawer(name: $0.name, opened: $0.opened) }
        let tags = ["red", "round"].map(CabinetV2.Tag.init)
        rows.forEach(context.insert)
        for box in boxes {
            let row = CabinetV2.Box(
                title: box.title, weight: box.kilograms, serial: try #require(UUID(uuidString: box.serial)), contents: box.contents)
            row.note = "second"
            context.insert(row)
            row.drawer = rows[0]
            row.tags = tags.filter { box.tags.contains($0.name) }
        }
        try context.save()
    }

    private static func fillThird(_ context: ModelContext) throws {
        let rows = drawers.map { CabinetV3.Drawer(name: $0.name, opened: $0.opened) }
        let tags = ["red", "round"].map(CabinetV3.Tag.init)
        rows.forEach(context.insert)
        for box in boxes {
            let row = CabinetV3.Box(
                title: box.title, grams: Int(box.kilograms * 1_000), serial: try #require(UUID(uuidString: box.serial)),
                contents: box.contents)
            row.note = "third"
            context.insert(row)
            row.drawer = rows[0]
            row.tags = tags.filter { box.tags.contains($0.name) }
        }
        try context.save()
    }
}
