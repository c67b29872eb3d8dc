import SluiceData

// Versions of a schema that hold classes of one name side by side.

enum GardenSchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Bed.self, Plant.self] }

    @Model
    final class Bed {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Plant.bed) var plants: [Plant] = []

        init(name: String) {
            self.name = name
        }
    }

    @Model
    final class Plant {
        var label: String
        var bed: Bed?

        init(label: String) {
            self.label = label
        }
    }
}

enum GardenSchemaV2 {}

extension GardenSchemaV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Bed.self, Plant.self] }
}

extension GardenSchemaV2 {
    @Model
    final class Bed {
        #Index<Bed>([\.name])

        var name: String
        @Attribute(hashModifier: "square metres") var area: Double = 1
        @Relationship(deleteRule: .cascade, inverse: \Plant.bed) var plants: [Plant] = []

        init(name: String, area: Double) {
            self.name = name
            self.area = area
        }
    }

    @Model(originalName: "Plant")
    final class Plant {
        @Attribute(originalName: "label") var species: String
        var sownOn: Date?
        @Relationship(originalName: "bed") var bed: Bed?

        init(species: String) {
            self.species = species
        }
    }
}
