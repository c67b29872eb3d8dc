import SluiceData
import Testing

/// What went wrong for others, by the numbers of the field reports.
@Suite struct PredicateFieldReportTests {
    @Test func `13: nil differs from every value`() throws {
        let gallery = try Gallery()
        for index in 0..<14 {
            gallery.add("article \(index)") { $0.note = index < 4 ? "X" : index < 6 ? "Y" : nil }
        }
        let captured: String? = nil
        #expect(try gallery.count(#Predicate { $0.note != "X" }) == 10)
        #expect(try gallery.count(#Predicate { !($0.note == "X") }) == 10)
        #expect(try gallery.count(#Predicate { $0.note == nil }) == 8)
        #expect(try gallery.count(#Predicate { $0.note != nil }) == 6)
        #expect(try gallery.count(#Predicate { $0.note == captured }) == 8)
    }

    @Test func `13: nil differs from every value at the end of a relationship too`() throws {
        let gallery = try Gallery()
        let (x, y) = (Person(name: "X"), Person(name: "Y"))
        for index in 0..<6 { gallery.add("book \(index)").lender = index < 2 ? x : index < 3 ? y : nil }
        #expect(try gallery.count(#Predicate { $0.lender?.name != "X" }) == 4)
        #expect(try gallery.count(#Predicate { !($0.lender?.name == "X") }) == 4)
        #expect(try gallery.count(#Predicate { $0.lender?.name == "X" }) == 2)
        #expect(try gallery.count(#Predicate { $0.lender == nil }) == 3)
    }

    @Test func `15: conditions in one closure are about one child`() throws {
        let gallery = try Gallery()
        let (one, two) = (Person(name: "one", rank: 1), Person(name: "two", rank: 2))
        gallery.add("1").parts = [Part(label: "open", maker: one)]
        gallery.add("2").parts = [Part(label: "ended", end: .distantPast, maker: one), Part(label: "open", maker: two)]
        #expect(try gallery.names(#Predicate { $0.parts.contains { $0.end == nil && $0.maker?.rank == 1 } }) == ["1"])
        #expect(
            try gallery.names(#Predicate { piece in piece.parts.contains { $0.end == nil } && piece.parts.contains { $0.maker?.rank == 1 } })
                == ["1", "2"])
    }

    @Test(arguments: [("árbol", 3), ("мос", 2), ("cafe", 2), ("ARBOL", 3), ("STRASSE", 2), ("straße", 2), ("istanbul", 2), ("ı", 1), ("", 0)])
    func `16: a search folds every script the same way in the store and in memory`(search: String, count: Int) throws {
        let gallery = try Gallery()
        // ß is found as ss and İ as i; the dotless ı is a letter of its own.
        let names = ["Árbol", "ÁRBOL", "arbol", "Москва", "москва", "caf\u{E9}", "cafe\u{301}", "Straße", "strasse", "İstanbul", "ISTANBUL", "kapı"]
        for name in names { gallery.add(name) }
        #expect(try gallery.count(#Predicate { $0.name.localizedStandardContains(search) }) == count)
    }

    @Test func `16: a plain search regards case`() throws {
        let gallery = try Gallery()
        for name in ["Árbol", "ÁRBOL", "arbol"] { gallery.add(name) }
        #expect(try gallery.count(#Predicate { $0.name.contains("árbol") }) == 0)
    }

    @Test(arguments: [("a_b", 1), ("50%", 1), ("_", 1), ("%", 1), ("\\", 0), ("", 5)])
    func `18: what a user types is taken literally`(search: String, count: Int) throws {
        let gallery = try Gallery()
        for name in ["a_b", "axb", "50%", "500", "50"] { gallery.add(name) }
        #expect(try gallery.count(#Predicate { $0.name.contains(search) }) == count)
        if search == "50%" { #expect(try gallery.count(#Predicate { $0.name.starts(with: search) }) == 1) }
    }

    @Test func `20: an enum is compared by its raw value in the store and in memory`() throws {
        let gallery = try Gallery()
        gallery.add("draft") { $0.level = .low }
        gallery.add("published") { $0.level = .high }
        gallery.add("nil")
        let (low, high): (Museum.Level?, Museum.Level?) = (.low, .high)
        let both: [Museum.Level?] = [.low, .high]
        #expect(try gallery.count(#Predicate { $0.level != high }) == 2)
        #expect(try gallery.count(#Predicate { $0.level == high }) == 1)
        #expect(try gallery.count(#Predicate { both.contains($0.level) }) == 2)
        #expect(try gallery.count(#Predicate { $0.level != low }) == 2)
    }
}
