import SluiceData

/// Values that have gone wrong somewhere: few of each kind, so that comparisons hold now and then.
enum GeneratedValues {
    static let texts = [
        "", "a", "A", "ab", "a\u{301}", "\u{E1}", "e\u{301}x", "\u{E9}x", "x\u{301}", "x", "%", "_", "\\", "'", "50%", "a\r\nb", "\n", "\r", "a\0b",
        "Straße", "STRASSE", "İ", "ı", "K", "\u{212A}", "\u{FB01}", "fi", "🇩🇪🇫🇷", "🇪🇫", "👨‍👩‍👧", "👨", "\u{1100}\u{1161}", "\u{AC00}", "\u{301}",
        "Москва", "мос", "10", "9", "\u{FFFF}", "\u{1F600}", "nan",
    ]
    /// Texts to order others by. The standard library's `<` contradicts itself where one text is not in NFC and is the beginning of the
    /// other: "\u{1100}\u{1161}" equals "\u{AC00}", which precedes "\u{AC00}'", and yet follows it.
    static let landmarks = ["", "9", "a", "ab", "Stra", "x", "М", "\u{D7A3}", "\u{FFFF}", "\u{1F600}"]
    static let numbers = [-3, -1, 0, 1, 2, 3, 7, 100, 1_000_000]
    static let small: [Int8] = [-128, -1, 0, 1, 127]
    static let large: [UInt64] = [0, 1, 7, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
    static let reals = [-1.5, -0.0, 0, 0.1, 1, 2, 1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
    static let singles: [Float] = [-1.5, -0.0, 0, 0.1, 1, 16_777_216, .infinity, .nan]
    static let decimals: [Decimal] = ["-10", "-1.5", "-0.15", "0", "0.1", "0.15", "1", "1.50", "10", "9", "123456789012345678901234567890"].map { Decimal(string: $0) ?? 0 }
    /// No NaN: in memory `<=` holds for a date that is not a number, as it is what `<` is not; a store says no to both.
    static let dates = [-1e9, -0.0, 0, 0.5, 1, 793_109_282.061].map { Date(timeIntervalSinceReferenceDate: $0) } + [.distantPast, .distantFuture]
    static let codes = ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-0000000000FF", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"].map { UUID(uuidString: $0) ?? UUID() }
    static let links = ["https://example.org/a", "https://example.org/b", "file:///tmp/a%20b", "mailto:a@b.c"].compactMap { URL(string: $0) }
    static let scans = [Data(), Data([0]), Data([1, 2, 3]), Data([1, 2])]
    static let surfaces: [Museum.Surface] = [.flat, .curved(radius: 1), .curved(radius: -0.0), .curved(radius: 0), .curved(radius: .nan)]
    static let places = [
        Museum.Place(city: "\u{E1}", floor: nil, sign: .init(text: "x")), Museum.Place(city: "a\u{301}", floor: nil, sign: .init(text: "x")),
        Museum.Place(city: "b", floor: 2, sign: .init(text: "")), Museum.Place(city: "b", floor: -1, sign: .init(text: "50%")),
    ]
    static let tags = [[], ["a"], ["a", "b"], ["\u{E1}"], ["a\u{301}", ""]]
    static let sizes = [[], [1], [3, 2], [0, 0, 7]]
    static let labels = [[:], ["a": 1], ["a": 2, "b": 1], ["\u{E9}": 3]]
}

extension Gallery {
    /// Fills the gallery with rows that a seed determines.
    func fill(_ random: inout SeededRandom, pieces: Int) throws {
        typealias Values = GeneratedValues
        let people = (0..<4).map { _ in Person(name: random.pick(Values.texts), rank: random.pick(Values.numbers)) }
        let rooms = (0..<4).map { index in
            Hall(
                title: random.pick(Values.texts), hint: random.maybe(Values.texts), area: random.pick(Values.numbers), isOpen: random.chance(50),
                guardian: random.chance(60) ? people[index] : nil)
        }
        let topics = (0..<4).map { _ in Topic(title: random.pick(Values.texts)) }
        for model in people as [any PersistentModel] + rooms + topics { context.insert(model) }
        for index in 0..<pieces {
            let piece = add("\(random.pick(Values.texts))") { Self.scatter(&$0, &random) }
            piece.room = random.maybe(rooms)
            piece.lender = random.maybe(people)
            piece.topics = topics.filter { _ in random.chance(30) }
            piece.parts = (0..<random.number(0..<4)).map { _ in
                Part(label: random.pick(Values.texts), size: random.maybe(Values.numbers), end: random.maybe(Values.dates), maker: random.maybe(people))
            }
            if index % 5 == 0 { piece.name = random.pick(Values.texts) + random.pick(Values.texts) }
        }
        try context.save()
    }

    private static func scatter(_ values: inout PieceValues, _ random: inout SeededRandom) {
        typealias Values = GeneratedValues
        values.note = random.maybe(Values.texts)
        values.count = random.pick(Values.numbers)
        values.small = random.maybe(Values.small)
        values.large = random.pick(Values.large)
        values.weight = random.pick(Values.reals)
        values.ratio = random.maybe(Values.singles)
        values.price = random.pick(Values.decimals)
        values.isShown = random.chance(50)
        values.isLent = random.maybe([true, false])
        values.made = random.pick(Values.dates)
        values.restored = random.maybe(Values.dates)
        values.code = random.pick(Values.codes)
        values.twin = random.maybe(Values.codes)
        values.link = random.maybe(Values.links)
        values.scan = random.pick(Values.scans)
        values.status = random.pick(Museum.Status.allCases)
        values.level = random.maybe(Museum.Level.allCases)
        values.surface = random.pick(Values.surfaces)
        values.place = random.maybe(Values.places)
        values.tags = random.pick(Values.tags)
        values.sizes = random.maybe(Values.sizes)
        values.labels = random.pick(Values.labels)
        values.motto = random.pick(Values.texts)
    }
}
