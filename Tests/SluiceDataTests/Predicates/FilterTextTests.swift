@testable import SluiceData
import SluiceSchema
import SluiceSQLite
import Testing

@testable import SluiceStore

/// Decision 0021: what `#Predicate` says about a row, the text of a rule or a filter says with the same result, in Swift's spelling and in
/// SQL's.
@Suite struct FilterTextTests {
    private static func gallery() throws -> Gallery {
        let gallery = try Gallery()
        let people = [Person(name: "Ann", rank: 1), Person(name: "caf\u{e9}", rank: 2), Person(name: "Bob", rank: -1)]
        let halls = [Hall(title: "North", hint: nil, area: 10, isOpen: true, guardian: people[0]), Hall(title: "SÜD", hint: "x", area: 0)]
        let notes: [String?] = [nil, "", "cafe\u{301}", "caf\u{e9} au lait", "x\u{301}", "Straße", "100%", nil]
        for (index, note) in notes.enumerated() {
            let piece = gallery.add("piece \(index)") { values in
                values.note = note
                values.count = index - 3
                values.weight = [0, -0.0, 1.5, .nan, .infinity, 2, 100.25, 0.1][index]
                values.price = [0, 0.10, 0.1, 1.5, -2, 10, 100.25, .nan][index]
                values.ratio = index % 3 == 0 ? nil : Float(index) / 2
                values.isShown = index % 2 == 0
                values.isLent = index % 3 == 0 ? nil : index % 2 == 0
                values.made = Date(timeIntervalSince1970: 1_767_225_600 + Double(index) * 43_200)
                values.restored = index < 3 ? nil : Date(timeIntervalSince1970: 1_767_225_600)
            }
            piece.room = index % 3 == 2 ? nil : halls[index % 3]
            piece.lender = index < 5 ? nil : people[index % 3]
            piece.parts = (0..<index % 4).map { Part(label: "p\($0)", size: $0 == 0 ? nil : $0 + index, maker: people[$0 % 3]) }
        }
        return gallery
    }

    @Test func `nil, text and what is searched in it`() throws {
        let gallery = try Self.gallery()
        try check(["note == nil", "note is null", "note = null"], #Predicate { $0.note == nil }, gallery)
        try check(
            ["note != 'caf\u{e9}'", "note <> 'cafe\u{301}'", "not note = 'caf\u{e9}'"],
            #Predicate { $0.note != "caf\u{e9}" }, gallery)
        try check(["note.contains('x')", "self.note.contains('x')"], #Predicate { $0.note?.contains("x") == true }, gallery)
        try check(["note.contains('e')"], #Predicate { $0.note?.contains("e") == true }, gallery)
        try check(
            ["note.starts(with: 'caf\u{e9}')", "note.hasPrefix('cafe\u{301}')"],
            #Predicate { $0.note?.starts(with: "caf\u{e9}") == true }, gallery)
        try check(
            ["note.localizedStandardContains('STRASSE')"],
            #Predicate { $0.note?.localizedStandardContains("STRASSE") == true }, gallery)
        try check(["note.count > 4", "length(note) > 4"], #Predicate { ($0.note ?? "").count > 4 }, gallery)
        try check(["note.isEmpty"], #Predicate { $0.note?.isEmpty == true }, gallery)
    }

    @Test func `numbers, dates and truth values`() throws {
        let gallery = try Self.gallery()
        let date = Date(timeIntervalSince1970: 1_767_312_000)
        try check(["weight > 1", "1 < weight"], #Predicate { $0.weight > 1 }, gallery)
        try check(
            ["weight >= 0.1 && weight <= 2", "weight between 0.1 and 2", "(0.1...2).contains(weight)"],
            #Predicate { (0.1...2).contains($0.weight) }, gallery)
        try check(["!(weight < 1)", "not weight < 1"], #Predicate { !($0.weight < 1) }, gallery)
        try check(["weight == 0", "weight = -0.0"], #Predicate { $0.weight == 0 }, gallery)
        try check(["isShown", "isShown == true", "isShown = true"], #Predicate { $0.isShown }, gallery)
        try check(["isLent ?? false", "coalesce(isLent, false)", "isLent"], #Predicate { $0.isLent ?? false }, gallery)
        let tenth = Decimal(string: "0.1") ?? 0
        try check(["price == 0.1", "price = '0.10'"], #Predicate { $0.price == tenth }, gallery)
        try check(["price > 1.5", "'1.5' < price", "price in ('10', 100.25)"], #Predicate { $0.price > 1.5 }, gallery)
        try check(["price != 10"], #Predicate { $0.price != 10 }, gallery)
        try check(["isLent != true"], #Predicate { $0.isLent != true }, gallery)
        try check(["count * 2 + 1 > 3", "(count + count) - -1 > 3"], #Predicate { $0.count * 2 + 1 > 3 }, gallery)
        try check(["count % 2 == 1"], #Predicate { $0.count % 2 == 1 }, gallery)
        try check(["12 / count == 4", "count != 0 && 12 / count = 4"], #Predicate { $0.count != 0 && 12 / $0.count == 4 }, gallery)
        try check(["-count > 1"], #Predicate { -$0.count > 1 }, gallery)
        try check(["count in [1, 2]", "count in (1, 2)", "[1, 2].contains(count)"], #Predicate { [1, 2].contains($0.count) }, gallery)
        try check(["count not in (1, 2)", "!(count in [1, 2])"], #Predicate { ![1, 2].contains($0.count) }, gallery)
        try check(
            ["isShown ? count > 0 : note == nil", "iif(isShown, count > 0, note is null)"],
            #Predicate { $0.isShown ? $0.count > 0 : $0.note == nil }, gallery)
        try check(["made > '2026-01-02'"], #Predicate { $0.made > date }, gallery)
    }

    @Test func `what lies over relationships`() throws {
        let gallery = try Self.gallery()
        let same = ComparisonResult.orderedSame
        try check(
            ["room.title.caseInsensitiveCompare('süd') == .orderedSame"],
            #Predicate { $0.room?.title.caseInsensitiveCompare("süd") == same }, gallery)
        try check(["room.title == 'North'", "room?.title == \"North\""], #Predicate { $0.room?.title == "North" }, gallery)
        try check(["room.title != 'North'", "room.title <> 'North'"], #Predicate { $0.room?.title != "North" }, gallery)
        try check(["room.guardian.name == lender.name"], #Predicate { $0.room?.guardian?.name == $0.lender?.name }, gallery)
        try check(["lender.name == note"], #Predicate { $0.lender?.name == $0.note }, gallery)
        try check(["parts.isEmpty", "parts.count == 0", "count(parts) = 0"], #Predicate { $0.parts.isEmpty }, gallery)
        try check(["parts.count >= 2", "count(parts) >= 2"], #Predicate { $0.parts.count >= 2 }, gallery)
        try check(
            ["parts.contains { $0.size > 4 }", "parts.contains(where: { $0.size > 4 })", "count(parts where size > 4) > 0"],
            #Predicate { $0.parts.contains { ($0.size ?? 0) > 4 } }, gallery)
        try check(
            ["parts.allSatisfy { p in p.maker.name != 'Ann' }"],
            #Predicate { $0.parts.allSatisfy { $0.maker?.name != "Ann" } }, gallery)
        try check(
            ["parts.filter { $0.size != nil }.count == 2", "count(parts where size is not null) == 2"],
            #Predicate { $0.parts.filter { $0.size != nil }.count == 2 }, gallery)
        try check(
            ["parts.contains { $0.size > count }", "count(parts where size > self.count) > 0"],
            #Predicate { piece in piece.parts.contains { ($0.size ?? -100) > piece.count } }, gallery)
        try check(["room.pieces.count > 2"], #Predicate { ($0.room?.pieces.count ?? 0) > 2 }, gallery)
    }

    @Test func `a NaN is neither less nor greater on either side, and equals nothing`() throws {
        let gallery = try Self.gallery()
        try check(["count < weight", "weight > count"], where: { Double($0.count) < $0.weight }, gallery)
        try check(["count <= weight", "weight >= count"], where: { Double($0.count) <= $0.weight }, gallery)
        try check(["count between -100 and weight"], where: { Double($0.count) <= $0.weight && $0.count >= -100 }, gallery)
        try check(["weight == weight"], #Predicate { $0.weight == $0.weight }, gallery)
        try check(["weight != weight"], #Predicate { $0.weight != $0.weight }, gallery)
        try check(["count == weight"], where: { Double($0.count) == $0.weight }, gallery)
    }

    @Test func `a long chain of conditions runs`() throws {
        let gallery = try Self.gallery()
        for word in ["||", "&&"] {
            let text = (0..<400).map { "count != \($0 + 50)" }.joined(separator: " \(word) ")
            #expect(try found(text, in: gallery).count == 8)
        }
    }

    @Test(arguments: ["!", "+", "??", "==", "between"])
    func `what is nested runs, or is refused as too large before SQLite does`(form: String) throws {
        let gallery = try Self.gallery()
        var refused = 0
        for count in 1...60 {
            let text =
                switch form {
                case "!": String(repeating: "!", count: count) + "isShown"
                case "+": "count" + String(repeating: " + count", count: count) + " > 0"
                case "??": "note" + String(repeating: " ?? note", count: count) + " == 'x'"
                case "==": String(repeating: "(", count: count) + "isShown" + String(repeating: " == isShown)", count: count)
                default: (0..<count).reduce("count") { text, _ in "((\(text)) between 0 and 1 ? 1 : 0)" } + " == 1"
                }
            do { _ = try found(text, in: gallery) } catch FilterError.tooLarge { refused += 1 }
        }
        // A value between two others stands in SQL twice, so each level doubles it.
        #expect(refused > 0 && refused < 55)
    }

    /// Each text, and what it is written back as, finds what the predicate finds.
    private func check(_ texts: [String], _ predicate: Predicate<Piece>, _ gallery: Gallery) throws {
        let expected = try gallery.names(predicate)
        for text in texts {
            #expect(try found(text, in: gallery) == expected, "\(text)")
            let again = try RowFilter(parsing: text).description
            #expect(try found(again, in: gallery) == expected, "\(text), written as \(again)")
        }
    }

    /// For what `#Predicate` cannot say: a conversion of numbers.
    private func check(_ texts: [String], where isExpected: (Piece) -> Bool, _ gallery: Gallery) throws {
        let expected = try gallery.context.fetch(FetchDescriptor<Piece>()).filter(isExpected).map(\.name).sorted()
        for text in texts { #expect(try found(text, in: gallery) == expected, "\(text)") }
    }

    private func found(_ text: String, in gallery: Gallery) throws -> [String] {
        try gallery.context.save()
        return try gallery.container.bindings.stores[0].commit(author: nil) { store in
            try TextFunctions.install(on: store.connection)
            let query = try RowQuery("Piece", in: store.layout, where: RowFilter(parsing: text)).selecting("t.name")
            return try store.connection.rows(query.sql, query.values) { $0.text(0) }.sorted()
        }
    }
}
