import SluiceData
import SluiceSchema
import Testing

/// Stored properties behind computed ones, as public model files have them.
enum Stables {
    @Model
    final class Horse {
        #Unique<Horse>([\._brand, \.year])
        var _brand: String
        var year: Int
        var brand: String {
            get { _brand.uppercased() }
            set { _brand = newValue }
        }
        @Relationship(deleteRule: .cascade, inverse: \Shoe._horse) var _shoes: [Shoe] = []
        var __count = 4

        init(brand: String, year: Int) {
            _brand = brand
            self.year = year
        }
    }

    @Model
    final class Shoe {
        var size: Int
        var _horse: Horse?
        init(size: Int) { self.size = size }
    }
}

@Suite struct StoredNameTests {
    @Test func `an underscore in front stands behind in the store`() throws {
        let store = try ModelSchema([Stables.Horse.self]).storeSchema(named: "x")
        let horse = try #require(store.entity(named: "Horse"))
        #expect(horse.attributes.map(\.name) == ["brand_", "year", "count__"])
        #expect(horse.attributes.map(\.wireName) == ["brand_", "year", "count__"])
        #expect(horse.relationships.map(\.name) == ["shoes_"] && horse.relationships.first?.inverse == "horse_")
        #expect(horse.uniqueness == [["brand_", "year"]])
    }

    @Test func `such properties save, relate, merge and come back`() throws {
        let container = try ModelContainer(for: Stables.Horse.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let horse = Stables.Horse(brand: "ek", year: 2)
        context.insert(horse)
        horse._shoes = [Stables.Shoe(size: 7)]
        try context.save()
        let again = Stables.Horse(brand: "ek", year: 2)
        again.__count = 3
        context.insert(again)
        try context.save()
        let other = ModelContext(container)
        let horses = try other.all(Stables.Horse.self)
        #expect(horses.map(\.brand) == ["EK"] && horses.first?.__count == 3)
        #expect(try other.only(Stables.Shoe.self)?._horse === horses.first)
        try horses.forEach(other.delete)
        try other.save()
        #expect(try context.all(Stables.Shoe.self).isEmpty)
    }
}
