import Foundation
import SluiceSQLite

/// The places of a type's cases in its own order, for a type whose order is not that of its stored form.
struct CaseRanks {
    private let ranks: [(stored: SQLiteValue, rank: Int64)]

    /// nil for a type that does not list its cases, or has no order.
    init?(of form: ColumnForm) {
        guard let listed = form.type as? any CaseIterable.Type, let cases = Self.sorted(listed) else { return nil }
        ranks = cases.compactMap { value, rank in form.encode(value).map { ($0, rank) } }
    }

    private static func sorted<Value: CaseIterable>(_ type: Value.Type) -> [(Any, Int64)]? {
        guard let comparable = type as? any Comparable.Type else { return nil }
        func ranked<Element: Comparable>(_ type: Element.Type) -> [(Any, Int64)]? {
            let cases = Value.allCases.compactMap { $0 as? Element }.sorted()
            var ranked: [(Any, Int64)] = []
            for (place, value) in cases.enumerated() {
                // Cases that are neither less nor greater share a place.
                let isNext = place > 0 && cases[place - 1] < value
                ranked.append((value, (ranked.last?.1 ?? 0) + (isNext ? 1 : 0)))
            }
            return ranked
        }
        return ranked(comparable)
    }

    func stored(at rank: Int64) -> SQLiteValue? { ranks.first { $0.rank == rank }?.stored }

    func rank(of sql: SQLFragment) -> SQLFragment {
        let cases = ranks.map { "WHEN \(bind: $0.stored) THEN \(sql: "\($0.rank)")" as SQLFragment }
        return cases.isEmpty ? sql : "CASE \(sql) \(cases.joined(by: " ")) END"
    }
}
