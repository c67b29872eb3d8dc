import SluiceData

// Codable structs, payload enums, dictionaries, sets and optionals of them.

struct Nutrition: Codable, Hashable {
    var kilojoules = 0
    var grams: [String: Double] = [:]
}

struct Step: Codable, Hashable, Identifiable {
    var id = UUID()
    var text: String
    var minutes: Int?
}

enum Heat: Codable, Hashable {
    case none
    case oven(celsius: Int, fan: Bool)
    case pan(level: Int)
}

@Model
final class Recipe {
    @Attribute(.unique, originalName: "title") var name: String
    var servings: Int
    var nutrition: Nutrition
    var perServing: Nutrition?
    var heat: Heat = Heat.oven(celsius: 180, fan: true)
    var steps: [Step] = [Step(text: "Wash your hands")]
    var allergens: Set<String> = ["nuts"]
    var translations: [String: String] = ["de": "Rezept", "fr": "recette"]
    var ratings: [Int]? = nil
    @Attribute(.codable) var origin: Origin = Origin(country: "IT")
    @Relationship(deleteRule: .cascade) var ingredients = [Ingredient]()

    init(name: String, servings: Int = 4, nutrition: Nutrition = .init()) {
        self.name = name
        self.servings = servings
        self.nutrition = nutrition
    }

    struct Origin: Codable, Equatable {
        var country: String
        var region: String?
    }
}

@Model
final class Ingredient: CustomStringConvertible {
    var name: String
    var amount: Measure = Measure(value: 1)
    @Relationship(inverse: \Recipe.ingredients) var recipe: Recipe?

    init(name: String, amount: Measure) {
        self.name = name
        self.amount = amount
    }

    var description: String { "\(amount.value) \(amount.unit.rawValue) \(name)" }

    struct Measure: Codable {
        enum Unit: String, Codable { case gram, litre, piece }

        var value: Double
        var unit: Unit = .piece
    }
}
