import SluiceData

/// The model of article 000, as the benchmarks fill it.
@Model
final class ShoppingItem {
    @Attribute(.unique) var id: UUID
    var name: String
    var quantity: Int
    var isChecked: Bool
    var price: Double
    var note: String?
    var createdAt: Date
    var category: String

    init(number: Int, id: UUID) {
        self.id = id
        name = "Item \(number)"
        quantity = number % 10
        isChecked = number % 2 == 1
        price = Double(number) * 0.25
        note = number % 3 == 0 ? "a note that is longer than fifteen bytes" : nil
        createdAt = Date(timeIntervalSinceReferenceDate: Double(number))
        category = "Category \(number % 20)"
    }
}
