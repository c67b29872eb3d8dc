import Foundation
import SluiceData

// One small store as it was and as it might be: each enum is the classes of one program.

enum Plain {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}

enum Noted {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        var note: String?
        init(code: Int, name: String, note: String? = "fresh") {
            self.code = code
            self.name = name
            self.note = note
        }
    }
}

enum Counted {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        var count: Int = 7
        var isOpen = false
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}

enum Extended {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        var shelf: Shelf?
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }

    @Model final class Shelf {
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []
        init(title: String) { self.title = title }
    }
}

enum Retitled {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        @Attribute(originalName: "name") var title: String
        init(code: Int, title: String) {
            self.code = code
            self.title = title
        }
    }
}

enum Unhinted {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var title: String = ""
        init(code: Int) { self.code = code }
    }
}

enum Required {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        var weight: Double
        init(code: Int, name: String, weight: Double) {
            self.code = code
            self.name = name
            self.weight = weight
        }
    }
}

enum Retyped {
    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: Int
        init(code: Int, name: Int) {
            self.code = code
            self.name = name
        }
    }
}

enum Reclassed {
    @Model(originalName: "Item") final class Article {
        @Attribute(.unique) var code: Int
        var name: String
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}

enum Named {
    @Model final class Item {
        var code: Int
        @Attribute(.unique) var name: String
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}

enum Graded {
    @Model class Item {
        @Attribute(.unique) var code: Int
        var name: String
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }

    @Model final class Jar: Item {
        var lid: String = "tin"
        init(code: Int, name: String, lid: String) {
            self.lid = lid
            super.init(code: code, name: name)
        }
    }
}

enum Kept {
    @Model final class Shelf {
        var title: String
        var items: [Item] = []
        init(title: String) { self.title = title }
    }

    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        @Relationship(originalName: "shelf", inverse: \Shelf.items) var shelves: [Shelf] = []
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}
