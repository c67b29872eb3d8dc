import SluiceData
import Testing

/// Predicates as people write them. `Gallery.names` also asks them of the models in memory.
@Suite struct PredicateMacroTests {
    @Test func `a bare predicate holds for every row`() throws {
        let gallery = try Gallery()
        gallery.add("a")
        #expect(try gallery.count(#Predicate { _ in true }) == 1)
        #expect(try gallery.count(#Predicate { _ in false }) == 0)
        #expect(try gallery.count(Predicate.true) == 1)
    }

    @Test(arguments: [("", 3), ("B", 1), ("zz", 0)])
    func `a search field filters only while there is something in it`(search: String, count: Int) throws {
        let gallery = try Gallery()
        for name in ["apple", "berry", "cherry"] { gallery.add(name) }
        #expect(try gallery.count(#Predicate { search.isEmpty || $0.name.localizedStandardContains(search) }) == count)
        #expect(
            try gallery.count(
                #Predicate { if search.isEmpty { return true } else { return $0.name.localizedStandardContains(search) } }) == count)
    }

    @Test func `ranges hold what lies between their bounds`() throws {
        let gallery = try Gallery()
        for count in 0..<10 { gallery.add("\(count)") { $0.count = count } }
        let (closed, half, above, upTo) = (3...5, 3..<5, 8..., ..<2)
        #expect(try gallery.names(#Predicate { (3...5).contains($0.count) }) == ["3", "4", "5"])
        #expect(try gallery.names(#Predicate { closed.contains($0.count) }) == ["3", "4", "5"])
        #expect(try gallery.names(#Predicate { half.contains($0.count) }) == ["3", "4"])
        #expect(try gallery.names(#Predicate { above.contains($0.count) }) == ["8", "9"])
        #expect(try gallery.names(#Predicate { upTo.contains($0.count) }) == ["0", "1"])
    }

    @Test func `captured collections of any length and kind hold their elements`() throws {
        let gallery = try Gallery()
        let codes = (0..<3).map { _ in UUID() }
        for index in 0..<3 {
            gallery.add("\(index)") { values in
                values.code = codes[index]
                values.count = index
                values.note = index == 0 ? nil : "n\(index)"
            }
        }
        let none: [String] = []
        let manyCodes = (0..<2_000).map { _ in UUID() } + [codes[1]]
        let manyCounts = Set(Array(1...5_000))
        let manyNotes: [String?] = [nil] + (2..<1_500).map { "n\($0)" }
        #expect(try gallery.names(#Predicate { none.contains($0.name) }) == [])
        #expect(try gallery.names(#Predicate { codes.contains($0.code) }) == ["0", "1", "2"])
        #expect(try gallery.names(#Predicate { manyCodes.contains($0.code) }) == ["1"])
        #expect(try gallery.names(#Predicate { manyCounts.contains($0.count) }) == ["1", "2"])
        #expect(try gallery.names(#Predicate { manyNotes.contains($0.note) }) == ["0", "2"])
    }

    @Test func `optionals mean what they mean in Swift`() throws {
        let gallery = try Gallery()
        gallery.add("nil")
        gallery.add("empty") { $0.note = "" }
        gallery.add("text") { $0.note = "text" }
        #expect(try gallery.names(#Predicate { $0.note?.isEmpty ?? true }) == ["empty", "nil"])
        #expect(try gallery.names(#Predicate { $0.note?.contains("ex") == true }) == ["text"])
        #expect(try gallery.names(#Predicate { piece in if let note = piece.note { return note == piece.name } else { return false } }) == ["text"])
        #expect(try gallery.names(#Predicate { $0.note.flatMap { $0.count } == 4 }) == ["text"])
        #expect(try gallery.names(#Predicate { ($0.note ?? "text") == "text" }) == ["nil", "text"])
        #expect(try gallery.names(#Predicate { $0.note == nil ? $0.count == 0 : $0.count == 1 }) == ["nil"])
    }

    @Test func `a forced unwrapping is safe behind a test for nil`() throws {
        let gallery = try Gallery()
        gallery.add("nil")
        gallery.add("text") { $0.note = "text" }
        #expect(try gallery.names(#Predicate { $0.note != nil && $0.note!.contains("ex") }) == ["text"])
        #expect(try gallery.names(#Predicate { $0.note == nil || $0.note! == "x" }) == ["nil"])
        #expect(throws: SwiftDataError.unsupportedPredicate) { try gallery.count(#Predicate { $0.note! == "x" }) }
    }

    @Test func `models are found by their identifiers and by those of their partners`() throws {
        let gallery = try Gallery()
        let (hall, attic) = (Hall(title: "hall"), Hall(title: "attic"))
        let (first, second) = (gallery.add("first"), gallery.add("second"))
        gallery.add("third")
        (first.room, second.room) = (hall, attic)
        try gallery.context.save()
        let (id, room) = (first.persistentModelID, hall.persistentModelID)
        let many = [id, second.persistentModelID, room]
        let unsaved = Hall(title: "new").persistentModelID
        #expect(try gallery.names(#Predicate { $0.persistentModelID == id }) == ["first"])
        #expect(try gallery.names(#Predicate { $0.id != id }) == ["second", "third"])
        #expect(try gallery.names(#Predicate { many.contains($0.persistentModelID) }) == ["first", "second"])
        #expect(try gallery.names(#Predicate { $0.room?.persistentModelID == room }) == ["first"])
        #expect(try gallery.names(#Predicate { $0.room?.id != room }) == ["second", "third"])
        #expect(try gallery.names(#Predicate { $0.room?.persistentModelID == unsaved }) == [])
    }

    @Test func `the class of a model and what it has in that class can be asked for`() throws {
        let gallery = try Gallery()
        let driver = Person(name: "driver")
        let car = Car(plate: "car", doors: 5, driver: driver)
        for vehicle in [car, Car(plate: "other", doors: 3), Trailer(plate: "trailer", load: 2, puller: car), Vehicle(plate: "cart", wheels: 2)] {
            gallery.context.insert(vehicle)
        }
        try gallery.context.save()
        func plates(_ predicate: Predicate<Vehicle>) throws -> [String] {
            let all = try gallery.context.fetch(FetchDescriptor<Vehicle>())
            let found = try gallery.context.fetch(FetchDescriptor(predicate: predicate)).map(\.plate).sorted()
            #expect(try all.filter { try predicate.evaluate($0) }.map(\.plate).sorted() == found)
            return found
        }
        #expect(try plates(#Predicate { $0 is Car }) == ["car", "other"])
        #expect(try plates(#Predicate { !($0 is Car) && $0.wheels == 2 }) == ["cart", "trailer"])
        #expect(try plates(#Predicate { ($0 as? Car)?.doors == 5 }) == ["car"])
        #expect(try plates(#Predicate { ($0 as? Car)?.doors != 5 }) == ["cart", "other", "trailer"])
        #expect(try plates(#Predicate { ($0 as? Trailer)?.puller?.driver?.name == "driver" }) == ["trailer"])
        #expect(try plates(#Predicate { $0 is Car && ($0 as! Car).doors > 4 }) == ["car"])
    }

    @Test func `values inside codable values can be asked for`() throws {
        let gallery = try Gallery()
        gallery.add("none")
        gallery.add("b") { values in
            values.place = Museum.Place(city: "B", floor: 2, sign: .init(text: "50%"))
            values.tags = ["x", "y"]
            values.labels = ["a": 1]
        }
        gallery.add("c") { $0.place = Museum.Place(city: "C", floor: nil, sign: .init(text: "")) }
        #expect(try gallery.names(#Predicate { $0.place?.city == "B" }) == ["b"])
        #expect(try gallery.names(#Predicate { $0.place?.city != "B" }) == ["c", "none"])
        #expect(try gallery.names(#Predicate { $0.place?.floor == nil }) == ["c", "none"])
        #expect(try gallery.names(#Predicate { $0.place?.sign.text.contains("%") ?? false }) == ["b"])
        #expect(try gallery.names(#Predicate { $0.tags.contains("x") }) == ["b"])
        #expect(try gallery.names(#Predicate { $0.tags.contains { $0 > "x" } }) == ["b"])
        #expect(try gallery.names(#Predicate { $0.labels["a"] == 1 }) == ["b"])
        #expect(try gallery.names(#Predicate { $0.tags.isEmpty && $0.place != nil }) == ["c"])
        #expect(try gallery.names(#Predicate { ($0.tags.max() ?? "") == "y" }) == ["b"])
    }

    @Test func `arithmetic is Swift's, and what would stop a program makes its comparison false`() throws {
        let gallery = try Gallery()
        for (name, count) in [("zero", 0), ("seven", 7), ("minus", -7), ("most", Int.max)] {
            gallery.add(name) { $0.count = count }
        }
        try gallery.context.save()
        let context = gallery.context
        func names(_ predicate: Predicate<Piece>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
        }
        #expect(try names(#Predicate { $0.count % 4 == -3 }) == ["minus"])
        #expect(try names(#Predicate { $0.count / 2 == -3 }) == ["minus"])
        #expect(try names(#Predicate { $0.count + 1 < 100 }) == ["minus", "seven", "zero"])
        #expect(try names(#Predicate { 14 / $0.count == 2 }) == ["seven"])
        #expect(try names(#Predicate { $0.count * $0.count == 49 }) == ["minus", "seven"])
    }

    @Test func `a text is matched by a regular expression and compared without regard to case`() throws {
        let gallery = try Gallery()
        for name in ["Ab1", "ab", "AB"] { gallery.add(name) }
        let same = ComparisonResult.orderedSame
        let other = "aB"
        #expect(try gallery.names(#Predicate { $0.name.contains(/[0-9]/) }) == ["Ab1"])
        #expect(try gallery.names(#Predicate { $0.name.caseInsensitiveCompare(other) == same }) == ["AB", "ab"])
    }

    @Test func `a closure over a captured collection looks at the row too`() throws {
        let gallery = try Gallery()
        for name in ["red apple", "green apple", "pear"] { gallery.add(name) }
        let words = ["red", "pear"]
        #expect(try gallery.names(#Predicate { piece in words.contains { piece.name.contains($0) } }) == ["pear", "red apple"])
        #expect(try gallery.names(#Predicate { piece in words.allSatisfy { !piece.name.contains($0) } }) == ["green apple"])
    }

    @Test func `predicates are put together from others, and print`() throws {
        let gallery = try Gallery()
        for count in 0..<6 { gallery.add("\(count)") { $0.count = count } }
        let (small, even) = (#Predicate<Piece> { $0.count < 4 }, #Predicate<Piece> { $0.count % 2 == 0 })
        #expect(try gallery.names(Predicate(all: [small, even])) == ["0", "2"])
        #expect(try gallery.names(Predicate(any: [small, even])) == ["0", "1", "2", "3", "4"])
        #expect(try gallery.names(Predicate(none: [small, even])) == ["5"])
        #expect(try gallery.names(Predicate(all: [Predicate(any: [small, even]), Predicate(none: [even])])) == ["1", "3"])
        #expect(try gallery.count(Predicate(all: [Predicate<Piece>]())) == 6)
        #expect(try gallery.count(Predicate(any: [Predicate<Piece>]())) == 0)
        let many = (0..<300).map { limit in #Predicate<Piece> { $0.count != limit + 3 } }
        #expect(try gallery.names(Predicate(all: many)) == ["0", "1", "2"])
        let search = #Predicate<Piece> { $0.name.localizedStandardContains("1") }
        #expect("\(Predicate(all: [small, search]))".contains("contains"))
    }
}
