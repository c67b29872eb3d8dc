// S3, articles 000, 002 and 003. Filled in where the article has comments: the fields of S1, without and with `lastModified`, and initialisers. Added: the
// import line.

import SwiftData

extension SchemaV1 {
    @Model
    final class ShoppingItemV1 {
        @Attribute(.unique) var id: UUID
        var name: String
        var amount: String
        var section: String
        var isChecked: Bool
        var isOptional: Bool
        var sortOrder: Int

        init(id: UUID = UUID(), name: String, amount: String, section: String, isOptional: Bool = false, sortOrder: Int = 0) {
            self.id = id
            self.name = name
            self.amount = amount
            self.section = section
            self.isChecked = false
            self.isOptional = isOptional
            self.sortOrder = sortOrder
        }
    }
}

extension SchemaV2 {
    @Model
    final class ShoppingItemV2 {
        @Attribute(.unique) var id: UUID
        var name: String
        var amount: String
        var section: String
        var isChecked: Bool
        var isOptional: Bool
        var sortOrder: Int
        var lastModified: Date?

        init(id: UUID = UUID(), name: String, amount: String, section: String, isOptional: Bool = false, sortOrder: Int = 0) {
            self.id = id
            self.name = name
            self.amount = amount
            self.section = section
            self.isChecked = false
            self.isOptional = isOptional
            self.sortOrder = sortOrder
            self.lastModified = Date()
        }
    }
}
