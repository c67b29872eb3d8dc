@testable import SluiceData
import SluiceSQLite
import SluiceStore
import Testing

@Suite struct BatchUpdateTests {
    private func gallery() throws -> Gallery {
        let gallery = try Gallery()
        for count in 0..<6 {
            gallery.add("\(count)") { values in
                values.count = count
                values.note = count % 2 == 0 ? nil : "n"
                values.weight = Double(count)
                values.price = Decimal(count)
            }
        }
        try gallery.context.save()
        return gallery
    }

    private func pieces(_ gallery: Gallery) throws -> [Piece] {
        // Another context: only what is in the store.
        try ModelContext(gallery.container).fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
    }

    @Test func `matching rows get values of every kind, the others stay`() throws {
        let gallery = try gallery()
        let day = Date(timeIntervalSinceReferenceDate: 5)
        let place = Museum.Place(city: "B", floor: 1, sign: .init(text: "x"))
        let count = try gallery.context.update(
            Piece.self, where: #Predicate { $0.count >= 3 }, set: .set(\.note, to: nil), .set(\.made, to: day), .set(\.status, to: .published),
            .set(\.place, to: place), .set(\.tags, to: ["a"]), .set(\.weight, to: .nan), .set(\.isShown, to: true), .set(\.level, to: .low),
            .set(\.motto, to: "m"))
        #expect(count == 3)
        for piece in try pieces(gallery) {
            let isChanged = piece.count >= 3
            #expect((piece.made == day) == isChanged && piece.isShown == isChanged && (piece.status == .published) == isChanged)
            #expect((piece.place == place) == isChanged && (piece.tags == ["a"]) == isChanged && piece.weight.isNaN == isChanged)
            #expect((piece.level == .low) == isChanged && (piece.motto == "m") == isChanged)
            if isChanged { #expect(piece.note == nil) }
        }
    }

    @Test func `numbers are added to and multiplied, and nil stays nil`() throws {
        let gallery = try gallery()
        gallery.add("small") { $0.small = 100 }
        try gallery.context.save()
        try gallery.context.update(
            Piece.self, set: .increment(\.count, by: 10), .multiply(\.weight, by: 2), .increment(\.price, by: Decimal(string: "0.1") ?? 0),
            .increment(\.small, by: 27), .toggle(\.isShown))
        let found = try pieces(gallery)
        #expect(found.map(\.count) == [10, 11, 12, 13, 14, 15, 10])
        #expect(found.map(\.weight) == [0, 2, 4, 6, 8, 10, 0])
        #expect(found[2].price == Decimal(string: "2.1"))
        #expect(found.map(\.small) == [nil, nil, nil, nil, nil, nil, 127])
        #expect(found.map(\.isShown) == Array(repeating: true, count: 7))
    }

    @Test func `a value that does not fit changes nothing`() throws {
        let gallery = try gallery()
        gallery.add("big") { $0.count = .max }
        gallery.add("small") { $0.small = 127 }
        try gallery.context.save()
        #expect(throws: SwiftDataError.arithmeticOverflow) { try gallery.context.update(Piece.self, set: .increment(\.count, by: 1)) }
        #expect(throws: SwiftDataError.arithmeticOverflow) { try gallery.context.update(Piece.self, set: .increment(\.small, by: 1)) }
        #expect(try pieces(gallery).map(\.count) == [0, 1, 2, 3, 4, 5, .max, 0])
    }

    @Test func `an expression looks at the row as it was`() throws {
        let gallery = try gallery()
        try gallery.context.update(
            Piece.self, where: #Predicate { $0.count > 0 },
            set: .set(\.count, to: #Expression { $0.count * $0.count }), .set(\.note, to: #Expression { $0.count == 4 ? "four" : $0.note }),
            .set(\.isLent, to: #Expression { $0.count > 2 ? true : nil }))
        let found = try pieces(gallery)
        #expect(found.map(\.count) == [0, 1, 4, 9, 16, 25])
        #expect(found.map(\.note) == [nil, "n", nil, "n", "four", "n"])
        #expect(found.map(\.isLent) == [nil, nil, nil, true, true, true])
    }

    @Test func `text is found by any spelling of it afterwards`() throws {
        let gallery = try gallery()
        try gallery.context.update(Piece.self, where: #Predicate { $0.count == 1 }, set: .set(\.name, to: "e\u{301}"))
        try gallery.context.update(Piece.self, where: #Predicate { $0.count == 2 }, set: .set(\.note, to: #Expression { $0.name == "2" ? "o\u{308}" : nil }))
        #expect(try gallery.count(#Predicate { $0.name == "\u{E9}" }) == 1)
        #expect(try gallery.count(#Predicate { $0.note == "\u{F6}" }) == 1)
        try gallery.context.update(Piece.self, where: #Predicate { $0.name == "\u{E9}" }, set: .set(\.name, to: "plain"))
        #expect(try gallery.count(#Predicate { $0.name == "\u{E9}" }) == 0)
        #expect(try gallery.count(#Predicate { $0.name == "plain" }) == 1)
    }

    @Test func `references are set, and members seen from the other end`() throws {
        let gallery = try gallery()
        let hall = Hall(title: "hall")
        gallery.context.insert(hall)
        try gallery.context.save()
        #expect(hall.pieces.isEmpty)
        try gallery.context.update(Piece.self, where: #Predicate { $0.count < 2 }, set: .set(\.room, to: hall))
        #expect(Set(hall.pieces.map(\.name)) == ["0", "1"])
        try gallery.context.update(Piece.self, where: #Predicate { $0.count == 0 }, set: .set(\.room, to: nil))
        #expect(hall.pieces.map(\.name) == ["1"])
        #expect(throws: SwiftDataError.modelValidationFailure) {
            try gallery.context.update(Piece.self, set: .set(\.room, to: Hall(title: "not saved")))
        }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.update(Hall.self, set: .set(\.guardian, to: nil)) }
    }

    @Test func `instances of the context read their new values, and history has every row`() throws {
        let gallery = try gallery()
        let before = try gallery.context.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.name)]))
        let store = gallery.container.bindings.stores[0]
        let logged = try store.read { try $0.integer("SELECT count(*) FROM _sluice_change") }
        gallery.context.author = "batch"
        try gallery.context.update(Piece.self, where: #Predicate { $0.count < 4 }, set: .set(\.note, to: "new"))
        #expect(before.map(\.note) == ["new", "new", "new", "new", nil, "n"])
        #expect(!gallery.context.hasChanges)
        #expect(try store.read { try $0.integer("SELECT count(*) FROM _sluice_change") } - logged == 4)
        #expect(try store.read { try $0.value("SELECT author FROM _sluice_transaction ORDER BY txn DESC LIMIT 1") } == "batch")
    }

    @Test func `rows of subclasses are changed unless they are left out`() throws {
        let gallery = try Gallery()
        for vehicle in [Car(plate: "a", doors: 4), Vehicle(plate: "b", wheels: 3)] { gallery.context.insert(vehicle) }
        try gallery.context.save()
        #expect(try gallery.context.update(Vehicle.self, includeSubclasses: false, set: .increment(\.wheels, by: 1)) == 1)
        #expect(try gallery.context.update(Vehicle.self, set: .increment(\.wheels, by: 1)) == 2)
        #expect(try gallery.context.update(Car.self, set: .set(\.doors, to: 2)) == 1)
        #expect(try gallery.context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)])).map(\.wheels) == [5, 5])
    }

    @Test func `an update keeps unique values unique, and takes no part in unsaved changes`() throws {
        let container = try ModelContainer(for: Track.self, Album.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for title in ["a", "b"] { context.insert(Track(title: title)) }
        try context.save()
        let code = UUID()
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.update(Track.self, set: .set(\.code, to: code)) }
        #expect(try context.fetchCount(FetchDescriptor(predicate: #Predicate<Track> { $0.code == code })) == 0)
        context.insert(Track(title: "c"))
        #expect(throws: SwiftDataError.unsavedChanges) { try context.update(Track.self, set: .increment(\.plays, by: 1)) }
        context.rollback()
        #expect(try context.update(Track.self, where: #Predicate { $0.title == "a" }, set: .set(\.code, to: code)) == 1)
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.update(Track.self, set: .increment(\.plays, by: 1), .set(\.plays, to: 1)) }
    }
}
