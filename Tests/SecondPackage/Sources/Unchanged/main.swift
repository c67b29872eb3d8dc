import SwiftData

@Model
final class Trip {
    var destination: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    init(destination: String) { self.destination = destination }
}

@Model
final class Stop {
    var name: String
    var trip: Trip?
    init(name: String) { self.name = name }
}

let context = ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
let trip = Trip(destination: "Turin")
context.insert(trip)
trip.stops.append(Stop(name: "Lyon"))
try context.save()
print(try ModelContext(context.container).fetch(FetchDescriptor<Stop>()).map { "\($0.name) on the way to \($0.trip?.destination ?? "nowhere")" })
