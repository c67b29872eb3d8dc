import Foundation
import SluiceData

@Model class JSONTrip {
    @Attribute(.unique) var id: UUID
    var name: String
    var startDate: Date
    var budget: Decimal?
    var mood: Mood = Mood.calm
    var route = Route(stops: [])
    var tags: [String] = []
    var cover: Data?
    @Relationship(deleteRule: .cascade, inverse: \JSONStay.trip) var stays: [JSONStay] = []
    @Relationship(deleteRule: .nullify, inverse: \JSONGuide.trips) var guides: [JSONGuide] = []
    @Transient var isSelected = false

    init(name: String, startDate: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        id = UUID()
        self.name = name
        self.startDate = startDate
    }

    enum Mood: String, Codable { case calm, wild }
    struct Route: Codable, Equatable { var stops: [String] }
}

@Model final class JSONCruise: JSONTrip {
    var ship = ""

    init(name: String, ship: String) {
        self.ship = ship
        super.init(name: name)
    }
}

@Model final class JSONStay {
    var place: String
    var nights: Int
    var trip: JSONTrip?

    init(place: String, nights: Int = 1) {
        self.place = place
        self.nights = nights
    }
}

@Model final class JSONGuide {
    var name: String
    var trips: [JSONTrip] = []
    @Relationship(deleteRule: .deny, inverse: \JSONLicence.guide) var licences: [JSONLicence] = []

    init(name: String) { self.name = name }
}

@Model final class JSONLicence {
    var number: Int
    var guide: JSONGuide?

    init(number: Int) { self.number = number }
}
