import SwiftData

// Models for what the articles describe without printing a class. The inline lines of articles 000 to 003 stand here as they are in the text.

@Model
final class Headline {
    @Attribute(.unique) var title: String
    var author: String

    init(title: String, author: String) {
        self.title = title
        self.author = author
    }
}

/// No Codable type.
struct Tint: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
}

final class TintTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Tint).map { Data([$0.red, $0.green, $0.blue]) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let bytes = value as? Data, bytes.count == 3 else { return nil }
        return Tint(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}

@Model
final class Swatch {
    @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint

    init(tint: Tint) { self.tint = tint }
}

/// A class in a value, which only a coded form can hold.
final class Marks: Codable, Equatable {
    let places: [Int]
    let note: String

    init(places: [Int], note: String) {
        self.places = places
        self.note = note
    }

    static func == (left: Marks, right: Marks) -> Bool { left.places == right.places && left.note == right.note }
}

@Model
final class Track {
    var title: String
    @Attribute(.codable) var marks: Marks = Marks(places: [], note: "")

    init(title: String) { self.title = title }
}

@Model
final class Photo {
    var name: String
    @Attribute(.externalStorage) var bytes: Data?

    init(name: String, bytes: Data? = nil) {
        self.name = name
        self.bytes = bytes
    }
}

/// Relationships of every declaration that the articles speak of.
@Model
final class Binder {
    var label: String
    @Relationship(deleteRule: .cascade, inverse: \Sheet.binder) var sheets: [Sheet] = []
    /// The default rule, and an inverse that is inferred: `Sticker` has one property that leads back.
    var stickers: [Sticker] = []
    @Relationship(inverse: nil) var appendix: Sheet?

    init(label: String) { self.label = label }
}

@Model
final class Sheet {
    var text: String
    var binder: Binder?

    init(text: String) { self.text = text }
}

@Model
final class Sticker {
    var color: String
    var binder: Binder?

    init(color: String) { self.color = color }
}
