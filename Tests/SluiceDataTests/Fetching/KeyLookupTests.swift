import SluiceData
import Testing

/// Fetches by the value of one attribute, whose translation a context keeps.
@Suite struct KeyLookupTests {
    private let gallery: Gallery

    init() throws {
        gallery = try Gallery()
        for number in 0..<10 {
            gallery.add("piece \(number)") {
                $0.count = number
                $0.note = number % 2 == 0 ? "even" : nil
            }
        }
        try gallery.context.save()
    }

    private func names(_ predicate: Predicate<Piece>, limit: Int? = nil, offset: Int? = nil) throws -> Set<String> {
        var descriptor = FetchDescriptor(predicate: predicate)
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        return Set(try gallery.context.fetch(descriptor).map(\.name))
    }

    @Test func `each fetch finds its own value`() throws {
        for number in 0..<10 { #expect(try names(#Predicate { $0.count == number }) == ["piece \(number)"]) }
        for name in ["piece 3", "piece 4", "nobody", "piece 3"] {
            #expect(try names(#Predicate { $0.name == name }) == (name == "nobody" ? [] : [name]))
        }
    }

    @Test func `the same value in another attribute is another fetch`() throws {
        for text in ["even", "piece 1"] {
            #expect(try names(#Predicate { $0.name == text }) == (text == "even" ? [] : [text]))
            #expect(try names(#Predicate { $0.note == text }).count == (text == "even" ? 5 : 0))
        }
    }

    @Test func `a limit and an offset count anew each time`() throws {
        #expect(try names(#Predicate { $0.note == "even" }).count == 5)
        #expect(try names(#Predicate { $0.note == "even" }, limit: 2).count == 2)
        #expect(try names(#Predicate { $0.note == "even" }, limit: 9, offset: 3).count == 2)
    }

    @Test func `text is equal as Swift has it, and nil is a value of its own`() throws {
        gallery.add("cafe\u{301}") { $0.note = "plain" }
        try gallery.context.save()
        for name in ["plain", "caf\u{E9}", "cafe\u{301}", "cafe"] {
            #expect(try names(#Predicate { $0.name == name }).count == (name.hasPrefix("caf") && name != "cafe" ? 1 : 0))
        }
        for note in ["plain", nil, "even"] as [String?] {
            #expect(try names(#Predicate { $0.note == note }).count == (note == nil ? 5 : note == "even" ? 5 : 1))
        }
    }

    @Test func `an order is kept`() throws {
        let note = "even"
        let reversed = FetchDescriptor<Piece>(predicate: #Predicate { $0.note == note }, sortBy: [SortDescriptor(\.count, order: .reverse)])
        #expect(try names(#Predicate { $0.note == note }).count == 5)
        #expect(try gallery.context.fetch(reversed).map(\.count) == [8, 6, 4, 2, 0])
    }

    @Test func `unsaved edits count`() throws {
        let wanted = 7
        let piece = try #require(try gallery.context.fetch(FetchDescriptor<Piece>(predicate: #Predicate { $0.count == wanted })).first)
        piece.count = 70
        #expect(try names(#Predicate { $0.count == wanted }).isEmpty)
        let moved = 70
        #expect(try names(#Predicate { $0.count == moved }) == ["piece 7"])
    }
}
