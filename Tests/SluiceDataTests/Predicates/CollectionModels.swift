import SluiceData

/// A museum's collection: one class with an attribute of every kind, and every kind of relationship around it.
enum Museum {
    enum Status: String, Codable, CaseIterable { case draft, published, archived = "Archivé" }

    enum Level: Int, Codable, Comparable, CaseIterable {
        // The order is not that of the raw values.
        case low = 7, middle = 3, high = 5
        static func < (left: Level, right: Level) -> Bool { left.place < right.place }
        private var place: Int { [.low: 0, .middle: 1, .high: 2][self] ?? 0 }
    }

    enum Surface: Codable, Hashable, CaseIterable {
        case flat
        case curved(radius: Double)
        static var allCases: [Surface] { [.flat, .curved(radius: 1), .curved(radius: -0.0)] }
    }

    struct Place: Codable, Hashable {
        var city: String
        var floor: Int?
        var sign: Sign
        var isOutside: Bool { floor == nil }

        struct Sign: Codable, Hashable { var text: String }
        private enum CodingKeys: String, CodingKey {
            // Stored under another name than it is written with.
            case city = "town"
            case floor, sign
        }
    }
}

@Model
final class Piece {
    #Index<Piece>([\.name], [\.count])

    var name: String
    var note: String?
    var count: Int
    var small: Int8?
    var large: UInt64
    var weight: Double
    var ratio: Float?
    var price: Decimal
    var isShown: Bool
    var isLent: Bool?
    var made: Date
    var restored: Date?
    var code: UUID
    var twin: UUID?
    var link: URL?
    var scan: Data
    var status: Museum.Status
    var level: Museum.Level?
    var surface: Museum.Surface
    var place: Museum.Place?
    var tags: [String]
    var sizes: [Int]?
    var labels: [String: Int]
    @Attribute(.codable) var motto: String
    var room: Hall?
    var lender: Person?
    @Relationship(inverse: \Part.piece) var parts: [Part] = []
    var topics: [Topic] = []

    init(name: String, values: PieceValues) {
        self.name = name
        note = values.note
        count = values.count
        small = values.small
        large = values.large
        weight = values.weight
        ratio = values.ratio
        price = values.price
        isShown = values.isShown
        isLent = values.isLent
        made = values.made
        restored = values.restored
        code = values.code
        twin = values.twin
        link = values.link
        scan = values.scan
        status = values.status
        level = values.level
        surface = values.surface
        place = values.place
        tags = values.tags
        sizes = values.sizes
        labels = values.labels
        motto = values.motto
    }

    /// Nothing that a store knows.
    var isHeavy: Bool { weight > 100 }
}

/// What a piece is made with; every value has a default.
struct PieceValues {
    var note: String?
    var count = 0
    var small: Int8?
    var large: UInt64 = 0
    var weight = 0.0
    var ratio: Float?
    var price = Decimal(0)
    var isShown = false
    var isLent: Bool?
    var made = Date(timeIntervalSinceReferenceDate: 0)
    var restored: Date?
    var code = UUID()
    var twin: UUID?
    var link: URL?
    var scan = Data()
    var status = Museum.Status.draft
    var level: Museum.Level?
    var surface = Museum.Surface.flat
    var place: Museum.Place?
    var tags: [String] = []
    var sizes: [Int]?
    var labels: [String: Int] = [:]
    var motto = ""
}

@Model
final class Hall {
    var title: String
    var hint: String?
    var area: Int
    var isOpen: Bool
    var guardian: Person?
    @Relationship(inverse: \Piece.room) var pieces: [Piece] = []

    init(title: String, hint: String? = nil, area: Int = 0, isOpen: Bool = false, guardian: Person? = nil) {
        self.title = title
        self.hint = hint
        self.area = area
        self.isOpen = isOpen
        self.guardian = guardian
    }
}

@Model
final class Part {
    var label: String
    var size: Int?
    var end: Date?
    var piece: Piece?
    var maker: Person?

    init(label: String, size: Int? = nil, end: Date? = nil, piece: Piece? = nil, maker: Person? = nil) {
        self.label = label
        self.size = size
        self.end = end
        self.piece = piece
        self.maker = maker
    }
}

@Model
final class Person {
    var name: String
    var rank: Int
    @Relationship(inverse: \Hall.guardian) var room: Hall?

    init(name: String, rank: Int = 0) {
        self.name = name
        self.rank = rank
    }
}

@Model
final class Topic {
    var title: String
    @Relationship(inverse: \Piece.topics) var pieces: [Piece] = []
    init(title: String) { self.title = title }
}

@Model
class Vehicle {
    var plate: String
    var wheels: Int
    var driver: Person?

    init(plate: String, wheels: Int, driver: Person? = nil) {
        self.plate = plate
        self.wheels = wheels
        self.driver = driver
    }
}

@Model
final class Car: Vehicle {
    var doors: Int
    init(plate: String, doors: Int, driver: Person? = nil) {
        self.doors = doors
        super.init(plate: plate, wheels: 4, driver: driver)
    }
}

@Model
final class Trailer: Vehicle {
    var load: Double?
    var puller: Vehicle?
    init(plate: String, load: Double? = nil, puller: Vehicle? = nil) {
        self.load = load
        self.puller = puller
        super.init(plate: plate, wheels: 2)
    }
}
