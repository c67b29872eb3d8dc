import Foundation
import SluiceData
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceEmbedded

/// What a program says of merging, in its own types.
@Suite struct MergeRuleTests {
    private func function(_ rule: MergeRule, _ entity: String, _ field: String) throws -> MergeFunction {
        var policies = MergePolicies()
        #expect(rule.add(to: &policies) == nil)
        return try #require(policies.entities[entity]?.functions[field])
    }

    @Test func `a function has the property's own type, whatever the store makes of it`() throws {
        let text = try function(.field(\Sample.text) { base, local, remote in "\(base ?? "-")\(local)\(remote)" }, "Sample", "text")
        #expect(text(nil, .string("a"), .string("b")) == .string("-ab"))
        #expect(text(.string("o"), .string("a"), .string("b")) == .string("oab"))
        let small = try function(.field(\Sample.small) { _, local, remote in max(local, remote) }, "Sample", "small")
        #expect(small(nil, .integer(3), .integer(-4)) == .integer(3))
        let wide = try function(.field(\Sample.wide) { _, local, remote in max(local, remote) }, "Sample", "wide")
        #expect(wide(nil, .integer(-1), .integer(5)) == .integer(-1))
        let kind = try function(.field(\Sample.kind) { _, local, remote in local == .urgent ? local : remote }, "Sample", "kind")
        #expect(kind(nil, .string("urgent"), .string("plain")) == .string("urgent"))
        let due = try function(.field(\Sample.due) { _, local, remote in [local, remote].compactMap { $0 }.min() }, "Sample", "due")
        let date = Date(timeIntervalSinceReferenceDate: 1)
        #expect(due(nil, .null, .date(date)) == .date(date))
        #expect(due(nil, .null, .null) == .null)
        let place = try function(.field(\Sample.place) { _, local, remote in Place(x: local.x, y: remote.y) }, "Sample", "place")
        #expect(place(nil, .data(Data(#"{"x":1,"y":2}"#.utf8)), .data(Data(#"{"x":3,"y":4}"#.utf8))) == .data(Data(#"{"x":1,"y":4}"#.utf8)))
        let price = try function(.field(\Sample.price) { _, local, remote in local + remote }, "Sample", "price")
        #expect(price(nil, .decimal(Decimal(string: "0.1")!), .decimal(Decimal(string: "0.2")!)) == .decimal(Decimal(string: "0.3")!))
    }

    @Test func `a value that the program cannot decode is left to the policy of the entity`() throws {
        let kind = try function(.field(\Sample.kind) { _, local, _ in local }, "Sample", "kind")
        #expect(kind(nil, .string("urgent"), .string("of a later release")) == nil)
    }

    @Test func `one function decides for all attributes of a class, each in its own type`() throws {
        let rule = MergeRule.rows(of: Sample.self) { conflict in
            conflict.merging(\.text) { base, local, remote in "\(base ?? "-")\(local)\(remote)" }
                ?? conflict.merging(\.due) { base, local, remote in base == nil ? nil : [local, remote].compactMap { $0 }.min() }
                ?? (conflict.property == "small" ? "no number" : conflict.property == "wide" ? conflict.remote : nil)
        }
        var policies = MergePolicies()
        #expect(rule.add(to: &policies) == nil)
        let merge = try #require(policies.entities["Sample"]?.function)
        #expect(merge("text", .string("o"), .string("a"), .string("b")) == .string("oab"))
        let date = Date(timeIntervalSinceReferenceDate: 1)
        #expect(merge("due", .null, .null, .date(date)) == .date(date))
        // What it makes of a base that is not known is no value, which is one for an optional.
        #expect(merge("due", nil, .date(date), .null) == .null)
        #expect(merge("wide", nil, .integer(-1), .integer(5)) == .integer(5))
        // No value of the type, nothing said, no such property, and what the program cannot decode: the policy decides.
        #expect(merge("small", nil, .integer(1), .integer(2)) == nil)
        #expect(merge("price", nil, .decimal(1), .decimal(2)) == nil)
        #expect(merge("of a subclass", nil, .integer(1), .integer(2)) == nil)
        #expect(merge("kind", nil, .string("plain"), .string("of a later release")) == nil)
    }

    @Test func `counters and sets are named by key path`() throws {
        var policies = MergePolicies()
        for rule in [MergeRule.counter(\Sample.small), .union(\Sample.labels), .rows(of: Sample.self, .serverWins), .deletions(of: Sample.self, .editWins)] {
            #expect(rule.add(to: &policies) == nil)
        }
        #expect(policies.entities["Sample"]?.fields == ["small": .counter, "labels": .union])
        #expect(policies.entities["Sample"]?.conflicts == .serverWins)
        #expect(policies.entities["Sample"]?.deletions == .editWins)
    }
}

struct Place: Codable, Hashable {
    var x: Int
    var y: Int
}

@Model
final class Sample {
    enum Kind: String, Codable { case plain, urgent }

    var text = ""
    var small: Int16 = 0
    var wide: UInt64 = 0
    var kind = Kind.plain
    var due: Date?
    var place = Place(x: 0, y: 0)
    var labels: Set<String> = []
    var price: Decimal = 0

    init() {}
}
