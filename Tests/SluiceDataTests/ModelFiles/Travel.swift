import SluiceData

// Inheritance over three levels, a protocol in front, and a subclass that inherits its initialisers.

protocol Dated {
    var startsOn: Date { get }
    var endsOn: Date { get }
}

extension Dated {
    var days: Int { Int(endsOn.timeIntervalSince(startsOn) / 86_400) }
}

@Model
class Trip: Dated {
    var destination: String
    var startsOn: Date
    var endsOn: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(destination: String, startsOn: Date, endsOn: Date) {
        self.destination = destination
        self.startsOn = startsOn
        self.endsOn = endsOn
    }

    func summary() -> String { "\(destination), \(days) days" }
}

@Model
class BusinessTrip: Trip {
    var purpose: String
    var perDiem: Double = 28.5
    @Relationship(inverse: \Colleague.trips) var company: [Colleague] = []

    init(destination: String, startsOn: Date, endsOn: Date, purpose: String) {
        self.purpose = purpose
        super.init(destination: destination, startsOn: startsOn, endsOn: endsOn)
    }

    override func summary() -> String { "\(super.summary()): \(purpose)" }
}

@Model
final class ConferenceTrip: BusinessTrip, Comparable {
    var talk: String?
    var badge: Int = 0

    static func < (left: ConferenceTrip, right: ConferenceTrip) -> Bool { left.badge < right.badge }
}

@Model
final class PersonalTrip: Trip {
    enum Reason: String, Codable { case family, rest, wedding }

    var reason: Reason

    init(destination: String, startsOn: Date, endsOn: Date, reason: Reason) {
        self.reason = reason
        super.init(destination: destination, startsOn: startsOn, endsOn: endsOn)
    }
}

@Model
final class Stop {
    var place: String
    var trip: Trip?

    init(place: String, trip: Trip? = nil) {
        self.place = place
        self.trip = trip
    }
}

@Model
final class Colleague {
    var name: String
    var trips: [BusinessTrip] = []

    init(name: String) {
        self.name = name
    }
}
