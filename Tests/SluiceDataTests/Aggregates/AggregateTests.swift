import SluiceData
import Testing

/// Figures of the store, beside the same worked out over the models.
@Suite struct AggregateTests {
    private func gallery(pieces: Int = 60) throws -> (Gallery, [Piece]) {
        var random = SeededRandom(seed: 11)
        let gallery = try Gallery()
        try gallery.fill(&random, pieces: pieces)
        return (gallery, try gallery.context.fetch(FetchDescriptor<Piece>()))
    }

    @Test func `counts, sums and averages are those of the models`() throws {
        let (gallery, pieces) = try gallery()
        let shown = pieces.filter(\.isShown)
        let (count, notes, codes, total, small) = try gallery.context.aggregate(
            Piece.self, .count, .count(of: \.note), .count(distinct: \.code), .sum(\.count), .sum(\.small), where: #Predicate { $0.isShown })
        #expect(count == shown.count)
        #expect(notes == shown.filter { $0.note != nil }.count)
        #expect(codes == Set(shown.map(\.code)).count)
        #expect(total == shown.map(\.count).reduce(0, +))
        #expect(small == shown.compactMap { $0.small.map { Int($0) } }.reduce(0, +))
        let (price, average, mean) = try gallery.context.aggregate(Piece.self, .sum(\.price), .average(\.count), .average(\.price))
        #expect(price == pieces.map(\.price).reduce(0, +))
        #expect(average == Double(pieces.map(\.count).reduce(0, +)) / Double(pieces.count))
        #expect(mean == price / Decimal(pieces.count))
    }

    @Test func `least and greatest values are those of the models`() throws {
        let (gallery, pieces) = try gallery()
        let context = gallery.context
        let (least, greatest) = try context.aggregate(Piece.self, .minimum(\.count), .maximum(\.count))
        #expect(least == pieces.map(\.count).min() && greatest == pieces.map(\.count).max())
        let (first, last) = try context.aggregate(Piece.self, .minimum(\.large), .maximum(\.large))
        #expect(first == pieces.map(\.large).min() && last == pieces.map(\.large).max())
        let (cheap, dear) = try context.aggregate(Piece.self, .minimum(\.price), .maximum(\.price))
        #expect(cheap == pieces.map(\.price).min() && dear == pieces.map(\.price).max())
        let (old, new) = try context.aggregate(Piece.self, .minimum(\.restored), .maximum(\.restored))
        #expect(old == pieces.compactMap(\.restored).min() && new == pieces.compactMap(\.restored).max())
        let (low, high) = try context.aggregate(Piece.self, .minimum(\.level), .maximum(\.level))
        #expect(low == .low && high == .high)
        let (light, heavy) = try context.aggregate(Piece.self, .minimum(\.weight), .maximum(\.weight))
        #expect(light == -.infinity && heavy == .infinity)
        #expect(try context.aggregate(Piece.self, .maximum(\.code)) == pieces.map(\.code).max())
        #expect(try context.aggregate(Piece.self, .maximum(\.room?.title)) == pieces.compactMap { $0.room?.title }.max())
    }

    @Test func `no rows give no average, no extremes and a sum of zero`() throws {
        let gallery = try Gallery()
        let (count, sum, price) = try gallery.context.aggregate(Piece.self, .count, .sum(\.weight), .sum(\.price))
        #expect(count == 0 && sum == 0 && price == 0)
        let (average, least, note) = try gallery.context.aggregate(Piece.self, .average(\.count), .minimum(\.made), .maximum(\.note))
        #expect(average == nil && least == nil && note == nil)
    }

    @Test func `a NaN makes a sum a NaN, and is neither least nor greatest`() throws {
        let gallery = try Gallery()
        for (name, weight) in [("a", 1.0), ("b", .nan), ("c", 3)] { gallery.add(name) { $0.weight = weight } }
        try gallery.context.save()
        let (sum, average, least, greatest) = try gallery.context.aggregate(
            Piece.self, .sum(\.weight), .average(\.weight), .minimum(\.weight), .maximum(\.weight))
        #expect(sum.isNaN && average?.isNaN == true && least == 1 && greatest == 3)
        #expect(try gallery.context.aggregate(Piece.self, .sum(\.weight), where: #Predicate { $0.name != "b" }) == 4)
    }

    @Test func `a sum that does not fit is an error`() throws {
        let gallery = try Gallery()
        for name in ["a", "b"] {
            gallery.add(name) { values in
                values.count = .max
                values.large = .max
            }
        }
        try gallery.context.save()
        #expect(throws: SwiftDataError.arithmeticOverflow) { try gallery.context.aggregate(Piece.self, .sum(\.count)) }
        #expect(throws: SwiftDataError.arithmeticOverflow) { try gallery.context.aggregate(Piece.self, .sum(\.large)) }
        #expect(try gallery.context.aggregate(Piece.self, .average(\.large)) == Double(UInt64.max))
    }

    @Test func `groups are those of the models, in the order of their keys`() throws {
        let (gallery, pieces) = try gallery()
        let groups = try gallery.context.aggregate(Piece.self, .count, .sum(\.count), .maximum(\.price), groupedBy: \.status)
        let expected = Dictionary(grouping: pieces, by: \.status)
        #expect(groups.count == expected.count)
        for group in groups {
            let members = try #require(expected[group.key])
            #expect(group.result.0 == members.count && group.result.1 == members.map(\.count).reduce(0, +))
            #expect(group.result.2 == members.map(\.price).max())
        }
        let byNote = try gallery.context.aggregate(Piece.self, .count, groupedBy: \.note, where: #Predicate { $0.isShown })
        #expect(byNote.first?.key == nil)
        #expect(Dictionary(uniqueKeysWithValues: byNote.map { ($0.key, $0.result) }) == Dictionary(grouping: pieces.filter(\.isShown), by: \.note).mapValues(\.count))
    }

    @Test func `rows are grouped by models and by what models have`() throws {
        let (gallery, pieces) = try gallery()
        let byRoom = try gallery.context.aggregate(Piece.self, .count, groupedBy: \.room)
        let counts = Dictionary(uniqueKeysWithValues: byRoom.map { ($0.key?.persistentModelID, $0.result) })
        #expect(counts == Dictionary(grouping: pieces, by: \.room?.persistentModelID).mapValues(\.count))
        let byRank = try gallery.context.aggregate(Piece.self, .count, groupedBy: \.lender?.rank)
        #expect(Dictionary(uniqueKeysWithValues: byRank.map { ($0.key, $0.result) }) == Dictionary(grouping: pieces, by: \.lender?.rank).mapValues(\.count))
    }

    @Test func `distinct values come once, in their order`() throws {
        let (gallery, pieces) = try gallery()
        let context = gallery.context
        #expect(try context.distinct(Piece.self, \.count) == Set(pieces.map(\.count)).sorted())
        #expect(try context.distinct(Piece.self, \.name) == Set(pieces.map(\.name)).sorted { $0.nfc < $1.nfc })
        #expect(try context.distinct(Piece.self, \.level) == [nil, .low, .middle, .high])
        #expect(try Set(context.distinct(Piece.self, \.place)) == Set(pieces.map(\.place)))
        #expect(try context.distinct(Piece.self, \.tags, where: #Predicate { $0.isShown }).count == Set(pieces.filter(\.isShown).map(\.tags)).count)
        #expect(try Set(context.distinct(Piece.self, \.room).map { $0?.title }) == Set(pieces.map { $0.room?.title }))
    }

    @Test func `rows of subclasses take part`() throws {
        let gallery = try Gallery()
        for vehicle in [Car(plate: "a", doors: 4), Trailer(plate: "b", load: 1), Vehicle(plate: "c", wheels: 3)] { gallery.context.insert(vehicle) }
        try gallery.context.save()
        #expect(try gallery.context.aggregate(Vehicle.self, .sum(\.wheels)) == 9)
        #expect(try gallery.context.aggregate(Car.self, .sum(\.wheels)) == 4)
        #expect(try gallery.context.aggregate(Vehicle.self, .count, where: #Predicate { $0 is Trailer }) == 1)
    }

    @Test func `unsaved changes are an error unless they are left out`() throws {
        let gallery = try Gallery()
        gallery.add("saved")
        try gallery.context.save()
        gallery.add("new")
        #expect(throws: SwiftDataError.unsavedChanges) { try gallery.context.aggregate(Piece.self, .count) }
        #expect(throws: SwiftDataError.unsavedChanges) { try gallery.context.distinct(Piece.self, \.name) }
        #expect(try gallery.context.aggregate(Piece.self, .count, includePendingChanges: false) == 1)
        // Classes that the figures do not look at may have some.
        #expect(try gallery.context.aggregate(Hall.self, .count) == 0)
    }

    @Test func `what is not stored has no figures`() throws {
        let gallery = try Gallery()
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.aggregate(Piece.self, .sum(\.name.count)) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.aggregate(Piece.self, .count(distinct: \.tags)) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.distinct(Piece.self, \.parts.count) }
        #expect(throws: SwiftDataError.unsupportedPredicate) { try gallery.context.aggregate(Piece.self, .count, where: #Predicate { $0.isHeavy }) }
    }
}

extension String {
    fileprivate var nfc: String { precomposedStringWithCanonicalMapping }
}
