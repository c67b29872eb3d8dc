// S6, articles 000, 002 and 003. Added: the import line. The article prints no initialisers; @Model writes them where that is unambiguous.

import SwiftData

@Model
final class List {
    var name: String

    @Relationship(deleteRule: .cascade, inverse: \ShoppingItem.list)
    var items: [ShoppingItem] = []
}

@Model
final class ShoppingItem {
    var name: String
    var list: List?
}
