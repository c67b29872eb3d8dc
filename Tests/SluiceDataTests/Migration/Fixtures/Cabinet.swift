import Foundation
import SluiceData

// Three released versions of a cabinet of drawers. A store file of each is in Tests/Fixtures/Cabinet; none of the three is ever edited.

enum CabinetV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Drawer.self, Box.self, Tag.self] }

    @Model final class Drawer {
        @Attribute(.unique) var label: String
        var opened: Date?
        @Relationship(deleteRule: .cascade, inverse: \Box.drawer) var boxes: [Box] = []
        init(label: String, opened: Date?) {
            self.label = label
            self.opened = opened
        }
    }

    @Model final class Box {
        var title: String
        var weight: Double
        var serial: UUID
        var contents: Data?
        var drawer: Drawer?
        @Relationship(inverse: \Tag.boxes) var tags: [Tag] = []
        init(title: String, weight: Double, serial: UUID, contents: Data?) {
            self.title = title
            self.weight = weight
            self.serial = serial
            self.contents = contents
        }
    }

    @Model final class Tag {
        var name: String
        var boxes: [Box] = []
        init(name: String) { self.name = name }
    }
}

/// The label has another name, a box may have a note.
enum CabinetV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Drawer.self, Box.self, Tag.self] }

    @Model final class Drawer {
        @Attribute(.unique, originalName: "label") var name: String
        var opened: Date?
        @Relationship(deleteRule: .cascade, inverse: \Box.drawer) var boxes: [Box] = []
        init(name: String, opened: Date?) {
            self.name = name
            self.opened = opened
        }
    }

    @Model final class Box {
        var title: String
        var weight: Double
        var serial: UUID
        var contents: Data?
        var note: String = "none"
        var drawer: Drawer?
        @Relationship(inverse: \Tag.boxes) var tags: [Tag] = []
        init(title: String, weight: Double, serial: UUID, contents: Data?) {
            self.title = title
            self.weight = weight
            self.serial = serial
            self.contents = contents
        }
    }

    @Model final class Tag {
        var name: String
        var boxes: [Box] = []
        init(name: String) { self.name = name }
    }
}

/// Weights are whole grams, and a tag's name stands once.
enum CabinetV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Drawer.self, Box.self, Tag.self] }

    @Model final class Drawer {
        @Attribute(.unique, originalName: "label") var name: String
        var opened: Date?
        @Relationship(deleteRule: .cascade, inverse: \Box.drawer) var boxes: [Box] = []
        init(name: String, opened: Date?) {
            self.name = name
            self.opened = opened
        }
    }

    @Model final class Box {
        var title: String
        var grams: Int
        var serial: UUID
        var contents: Data?
        var note: String = "none"
        var drawer: Drawer?
        @Relationship(inverse: \Tag.boxes) var tags: [Tag] = []
        init(title: String, grams: Int, serial: UUID, contents: Data?) {
            self.title = title
            self.grams = grams
            self.serial = serial
            self.contents = contents
        }
    }

    @Model final class Tag {
        @Attribute(.unique) var name: String
        var boxes: [Box] = []
        init(name: String) { self.name = name }
    }
}

enum CabinetPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [CabinetV1.self, CabinetV2.self, CabinetV3.self] }
    static var stages: [MigrationStage] {
        let grams = Weights()
        return [
            .lightweight(fromVersion: CabinetV1.self, toVersion: CabinetV2.self),
            .custom(
                fromVersion: CabinetV2.self, toVersion: CabinetV3.self,
                willMigrate: { context in
                    for box in try context.fetch(FetchDescriptor<CabinetV2.Box>()) { grams[box.serial] = Int((box.weight * 1_000).rounded()) }
                },
                didMigrate: { context in
                    for box in try context.fetch(FetchDescriptor<CabinetV3.Box>()) { box.grams = grams[box.serial] ?? 0 }
                }),
        ]
    }

    /// What passes between the two halves of a stage, which run one after the other on one thread.
    private final class Weights: @unchecked Sendable {
        private var grams: [UUID: Int] = [:]
        subscript(serial: UUID) -> Int? {
            get { grams[serial] }
            set { grams[serial] = newValue }
        }
    }
}
