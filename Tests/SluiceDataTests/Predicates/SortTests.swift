import SluiceData
import Testing

/// Orders of the store, beside those that Swift's `sort` gives the same models.
@Suite struct SortTests {
    /// Fetches in one order and in the other, and compares neighbours as Swift does.
    private func sorted(sourceLocation: SourceLocation = #_sourceLocation, by descriptors: (SortOrder) -> [SortDescriptor<Piece>]) throws {
        var random = SeededRandom(seed: 7)
        let gallery = try Gallery()
        try gallery.fill(&random, pieces: 60)
        for piece in try gallery.context.fetch(FetchDescriptor<Piece>()) where piece.weight.isNaN { piece.weight = 0 }
        try gallery.context.save()
        for order in [SortOrder.forward, .reverse] {
            let descriptors = descriptors(order)
            let found = try gallery.context.fetch(FetchDescriptor(sortBy: descriptors))
            #expect(found.count == 60)
            let wrong = zip(found, found.dropFirst()).first { left, right in
                descriptors.lazy.map { $0.compare(left, right) }.first { $0 != .orderedSame } == .orderedDescending
            }
            #expect(wrong == nil, "\(wrong.map { "\($0.name) before \($1.name)" } ?? "")", sourceLocation: sourceLocation)
        }
    }

    @Test func `numbers, dates and identifiers sort by their values, nil first`() throws {
        try sorted { [SortDescriptor(\.count, order: $0)] }
        try sorted { [SortDescriptor(\.small, order: $0), SortDescriptor(\.count, order: .reverse)] }
        try sorted { [SortDescriptor(\.large, order: $0)] }
        try sorted { [SortDescriptor(\.weight, order: $0)] }
        try sorted { [SortDescriptor(\.made, order: $0)] }
        try sorted { [SortDescriptor(\.restored, order: $0)] }
        try sorted { [SortDescriptor(\.code, order: $0)] }
        try sorted { [SortDescriptor(\.twin, order: $0)] }
    }

    @Test func `decimals sort as numbers, not as text`() throws {
        try sorted { [SortDescriptor(\.price, order: $0)] }
        let gallery = try Gallery()
        for price in ["9", "10", "-1", "-0.5", "0.10", "0.09", "100000000000000000000.5", "0"] {
            gallery.add(price) { $0.price = Decimal(string: price) ?? 0 }
        }
        try gallery.context.save()
        let found = try gallery.context.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.price)])).map(\.name)
        #expect(found == ["-1", "-0.5", "0", "0.09", "0.10", "9", "10", "100000000000000000000.5"])
    }

    @Test func `texts sort by their characters, and by a comparator where one is given`() throws {
        let gallery = try Gallery()
        for name in ["b", "a", "B", "A", "\u{E4}", "a\u{308}b", "Z", "2", "10"] { gallery.add(name) }
        try gallery.context.save()
        func names(_ descriptor: SortDescriptor<Piece>) throws -> [String] {
            let found = try gallery.context.fetch(FetchDescriptor(sortBy: [descriptor]))
            #expect(found.map(\.name) == found.sorted(using: descriptor).map(\.name))
            return found.map(\.name)
        }
        #expect(try names(SortDescriptor(\.name)) == ["10", "2", "A", "B", "Z", "a", "b", "\u{E4}", "a\u{308}b"])
        #expect(try names(SortDescriptor(\.name, comparator: .lexical)) == ["10", "2", "A", "B", "Z", "a", "b", "\u{E4}", "a\u{308}b"])
        #expect(try names(SortDescriptor(\.name, comparator: .localizedStandard)) == ["2", "10", "A", "a", "\u{E4}", "a\u{308}b", "B", "b", "Z"])
        #expect(try names(SortDescriptor(\.name, comparator: .localized)) == ["10", "2", "A", "a", "\u{E4}", "a\u{308}b", "B", "b", "Z"])
        #expect(try names(SortDescriptor(\.name, comparator: .localizedStandard, order: .reverse)).first == "Z")
    }

    @Test func `numbers inside texts count by their size`() throws {
        let gallery = try Gallery()
        let names = ["Chapter 9", "chapter 10", "Chapter 09", "Chapter 100", "Chapter", "Chapter 9b", "Ⅻ", "\u{FF11}\u{FF12}", "12"]
        for name in names { gallery.add(name) { $0.note = name } }
        try gallery.context.save()
        let found = try gallery.context.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.note, comparator: .localizedStandard)]))
        #expect(found.map(\.name).prefix(2) == ["12", "\u{FF11}\u{FF12}"])
        #expect(
            found.map(\.name).filter { $0.lowercased().hasPrefix("c") } == [
                "Chapter", "Chapter 09", "Chapter 9", "Chapter 9b", "chapter 10", "Chapter 100",
            ])
        #expect(names.sorted(using: .localizedStandard) == found.map(\.name))
    }

    @Test func `values of partners and members of codable values sort too`() throws {
        try sorted { [SortDescriptor(\.room?.title, order: $0), SortDescriptor(\.name, order: $0)] }
        try sorted { [SortDescriptor(\.room?.guardian?.rank, order: $0), SortDescriptor(\.name, order: $0)] }
        try sorted { [SortDescriptor(\.place?.city, order: $0), SortDescriptor(\.name, order: $0)] }
        try sorted { [SortDescriptor(\.place?.sign.text, order: $0), SortDescriptor(\.name, order: $0)] }
        try sorted { [SortDescriptor(\.room?.title, comparator: .localizedStandard, order: $0)] }
    }

    @Test func `an enum sorts in its own order, whatever its raw values`() throws {
        try sorted { [SortDescriptor(\.level, order: $0), SortDescriptor(\.count, order: $0)] }
    }

    @Test func `two fetches of equal rows have one order`() throws {
        let gallery = try Gallery()
        for index in 0..<20 { gallery.add("\(index)") }
        try gallery.context.save()
        for order in [SortOrder.forward, .reverse] {
            let all = try gallery.context.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.count, order: order)])).map(\.name)
            var pages: [String] = []
            for page in 0..<4 {
                var descriptor = FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.count, order: order)])
                descriptor.fetchLimit = 5
                descriptor.fetchOffset = 5 * page
                pages += try gallery.context.fetch(descriptor).map(\.name)
            }
            #expect(pages == all)
            #expect((all.first == "0") == (order == .forward))
        }
    }

    @Test func `what is not stored cannot be sorted by`() throws {
        let gallery = try Gallery()
        func refuse(_ descriptor: SortDescriptor<Piece>, _ word: String) {
            let error = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try gallery.context.fetch(FetchDescriptor(sortBy: [descriptor]))
            }
            #expect(error?.explanation?.contains(word) == true)
        }
        refuse(SortDescriptor(\.name.count), "computed")
        refuse(SortDescriptor(\.parts.count), "many")
        refuse(SortDescriptor(\.heaviness), "computed")
    }
}

extension Piece {
    fileprivate var heaviness: Double { weight * 2 }
}
