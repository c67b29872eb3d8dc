import Foundation
import SluiceData
import Testing

/// Predicates made at random, asked of the store and of the models in memory: both must find the same.
@Suite struct PredicateDifferentialTests {
    /// `SLUICE_PREDICATE_SEED=<number>` runs one seed again; `SLUICE_PREDICATE_CASES` sets how many predicates a seed makes.
    static let seeds: [UInt64] = {
        if let seed = ProcessInfo.processInfo.environment["SLUICE_PREDICATE_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...16)
    }()
    static let caseCount = ProcessInfo.processInfo.environment["SLUICE_PREDICATE_CASES"].flatMap(Int.init) ?? 100

    @Test(arguments: seeds)
    func `a predicate finds in the store what it finds in memory`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let gallery = try Gallery()
        try gallery.fill(&random, pieces: 30)
        let pieces = try gallery.context.fetch(FetchDescriptor<Piece>())
        var generator = PredicateGenerator(seed: seed)
        var telling = 0
        for number in 0..<Self.caseCount {
            let predicate = generator.predicate()
            let identifiers = try Set(gallery.context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
            let found = Set(pieces.filter { identifiers.contains($0.persistentModelID) })
            let expected = try Set(pieces.filter { try predicate.evaluate($0) })
            if !expected.isEmpty, expected.count < pieces.count { telling += 1 }
            guard found != expected else { continue }
            let (missing, extra) = (expected.subtracting(found), found.subtracting(expected))
            Issue.record(
                """
                seed \(seed), predicate \(number): \(missing.count) missing, \(extra.count) too many of \(expected.count); \
                \(missing.first.map { "missing: \(Self.describe($0))" } ?? "") \(extra.first.map { "extra: \(Self.describe($0))" } ?? "")
                \(Self.describe(predicate.expression))
                """)
            return
        }
        #expect(telling > Self.caseCount / 3, "predicates that hold for some and not for all")
    }

    /// Nodes and values; Foundation's own description knows only Foundation's nodes.
    private static func describe(_ node: Any) -> String {
        if let text = node as? String { return scalars(text) }
        if let date = node as? Date { return "Date(\(date.timeIntervalSinceReferenceDate))" }
        guard node is any PredicateExpression else { return String(reflecting: node) }
        let type = "\(type(of: node))"
        let children = Mirror(reflecting: node).children.map { describe($0.value) }
        return type.hasPrefix("Node") ? children.joined() : "\(type.prefix { $0 != "<" })(\(children.joined(separator: ", ")))"
    }

    private static func describe(_ piece: Piece) -> String {
        "name \(scalars(piece.name)), note \(piece.note.map(scalars) ?? "nil"), count \(piece.count), weight \(piece.weight)"
    }

    /// A text so that what it is made of shows.
    private static func scalars(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0.isASCII && $0.value >= 32 ? "\($0)" : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }.joined() + "\""
    }
}
