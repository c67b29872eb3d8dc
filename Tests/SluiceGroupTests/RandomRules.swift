import SluiceSchema
import SluiceStore

@testable import SluiceGroup

/// Schemas and rules from a seed: every kind of attribute, relationship and expression that rules can speak of, in small numbers, so that
/// they meet often.
struct RandomRules {
    var random: SeededRandom
    let entities: [Entity]

    init(seed: UInt64) {
        random = SeededRandom(state: seed)
        entities = Self.schema(&random)
    }

    // MARK: Schemas

    private static func schema(_ random: inout SeededRandom) -> [Entity] {
        let count = Int.random(in: 2...4, using: &random)
        var entities = (0..<count).map { index in
            Entity(
                "E\(index)",
                attributes: [
                    Attribute("s", .string, isOptional: true), Attribute("n", .int64, isOptional: true),
                    Attribute("x", .double, isOptional: true), Attribute("b", .boolean, defaultValue: .boolean(false)),
                    Attribute("d", .date, isOptional: true), Attribute("m", .decimal, isOptional: true),
                ])
        }
        if Bool.random(using: &random) {
            entities.append(Entity("Sub", superentity: "E0", attributes: [Attribute("extra", .int16, isOptional: true)]))
        }
        let roots = 0..<count
        for number in 0..<Int.random(in: 2...5, using: &random) {
            let from = roots.randomElement(using: &random) ?? 0
            let to = roots.randomElement(using: &random) ?? 0
            relate(&entities, from, to, number, &random)
        }
        return entities
    }

    private static func relate(_ entities: inout [Entity], _ from: Int, _ to: Int, _ number: Int, _ random: inout SeededRandom) {
        let (one, many) = ("one\(number)", "many\(number)")
        let rule: DeleteRule = Bool.random(using: &random) ? .cascade : .nullify
        let isOrdered = Bool.random(using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            entities[from].relationships.append(Relationship(one, to: "E\(to)", inverse: many))
            entities[to].relationships.append(Relationship(many, to: "E\(from)", isToMany: true, isOrdered: isOrdered, inverse: one, deleteRule: rule))
        case 2:
            entities[from].relationships.append(Relationship(many, to: "E\(to)", isToMany: true, inverse: one))
            entities[to].relationships.append(Relationship(one, to: "E\(from)", isToMany: true, inverse: many))
        case 3: entities[from].relationships.append(Relationship(many, to: "E\(to)", isToMany: true, deleteRule: rule))
        default: entities[from].relationships.append(Relationship(one, to: "E\(to)"))
        }
    }

    // MARK: Rules

    mutating func projections() -> [Projection] {
        let chosen = entities.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        return (chosen.isEmpty ? [entities[0]] : chosen).map { entity in
            var projection = Projection(entity.name)
            if chance(2) { projection.filter = Fixed.filter(condition(entity.name, depth: 0, fuel: 3).description) }
            if chance(3) { projection.fields = properties(entity.name).filter { _ in Bool.random(using: &random) } }
            projection.derived = (0..<Int.random(in: 0...4, using: &random)).map { .init("derived\($0)\(entity.name)", value(entity.name, depth: 0, fuel: 2)) }
            if chance(3) {
                projection.limit = Int.random(in: 1...5, using: &random)
                projection.order = Fixed.order(["n desc, s", "x", "s desc", "b, d desc", order(entity.name)].randomElement(using: &random) ?? "n")
            }
            return projection
        }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func order(_ entity: String) -> String {
        toOne(entity).randomElement(using: &random).map { "\($0.name).n desc, s" } ?? "n"
    }

    private func properties(_ entity: String) -> [String] {
        lineage(entity).flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
    }

    private func lineage(_ name: String) -> [Entity] {
        guard let entity = entities.first(where: { $0.name == name }) else { return [] }
        return (entity.superentity.map(lineage) ?? []) + [entity]
    }

    private func relationships(_ entity: String) -> [Relationship] { lineage(entity).flatMap(\.relationships) }
    private func toOne(_ entity: String) -> [Relationship] { relationships(entity).filter { !$0.isToMany } }
    private func toMany(_ entity: String) -> [Relationship] { relationships(entity).filter(\.isToMany) }

    // MARK: Expressions

    /// A path to an attribute, over up to two to-one relationships.
    private mutating func path(_ entity: String, depth: Int, _ attribute: String) -> FilterExpression {
        var names: [String] = []
        var current = entity
        while names.count < 2, chance(2), let step = toOne(current).randomElement(using: &random) {
            names.append(step.name)
            current = step.destination
        }
        return .path(FilterPath(depth: depth, names + [attribute]))
    }

    private mutating func literal(_ attribute: String) -> RowFilter.Literal {
        switch attribute {
        case "n": .integer(Int64.random(in: -1...4, using: &random))
        case "x": .number(Double(Int.random(in: -2...4, using: &random)) / 2)
        case "b": .boolean(Bool.random(using: &random))
        case "m": .text(["0.1", "2", "-1.50"].randomElement(using: &random) ?? "0")
        case "d": .text("2026-01-0\(Int.random(in: 1...4, using: &random))")
        default: .text(RandomRules.texts.randomElement(using: &random) ?? "a")
        }
    }

    static let texts = ["a", "b", "cafe\u{301}", "caf\u{e9}", "Z", ""]
    private static let attributes = ["s", "n", "x", "b", "d", "m"]

    mutating func condition(_ entity: String, depth: Int, fuel: Int) -> FilterExpression {
        let attribute = Self.attributes.randomElement(using: &random) ?? "n"
        switch Int.random(in: 0..<(fuel > 0 ? 10 : 4), using: &random) {
        case 0: return .comparison(path(entity, depth: depth, attribute), comparison(attribute), .literal(literal(attribute)))
        case 1: return .comparison(path(entity, depth: depth, attribute), .notEqual, .literal(.null))
        case 2: return .comparison(path(entity, depth: depth, attribute), comparison(attribute), path(entity, depth: depth, attribute))
        case 3:
            let tests: [FilterExpression.TextTest] = [.contains, .hasPrefix, .hasSuffix, .localizedStandardContains]
            return .text(path(entity, depth: depth, "s"), tests.randomElement(using: &random) ?? .contains, .literal(literal("s")))
        case 4: return .not(condition(entity, depth: depth, fuel: fuel - 1))
        case 5: return .and(condition(entity, depth: depth, fuel: fuel - 1), condition(entity, depth: depth, fuel: fuel - 1))
        case 6: return .or(condition(entity, depth: depth, fuel: fuel - 1), condition(entity, depth: depth, fuel: fuel - 1))
        case 7: return .comparison(value(entity, depth: depth, fuel: fuel - 1, as: "n"), .greater, .literal(.integer(1)))
        default:
            guard let members = members(entity, depth: depth, fuel: fuel) else {
                return .membership(path(entity, depth: depth, "n"), [.integer(1), .integer(3), .null])
            }
            return Bool.random(using: &random) ? .some(members) : .all(members)
        }
    }

    private mutating func comparison(_ attribute: String) -> RowFilter.Comparison {
        RowFilter.Comparison.allCases.randomElement(using: &random) ?? .equal
    }

    /// Members of a to-many relationship, over up to one to-one, with a condition that may look at the outer row, too.
    private mutating func members(_ entity: String, depth: Int, fuel: Int) -> FilterMembers? {
        var names: [String] = []
        var current = entity
        if chance(3), let step = toOne(entity).randomElement(using: &random) {
            names.append(step.name)
            current = step.destination
        }
        guard let many = toMany(current).randomElement(using: &random) else { return nil }
        let inner = chance(3) ? nil : condition(many.destination, depth: depth + 1, fuel: fuel - 1)
        return FilterMembers(FilterPath(depth: depth, names + [many.name]), depth: depth + 1, where: inner ?? .literal(.boolean(true)))
    }

    private func destination(_ members: FilterMembers, from entity: String) -> String {
        members.path.names.reduce(entity) { current, name in
            relationships(current).first { $0.name == name }?.destination ?? current
        }
    }

    mutating func value(_ entity: String, depth: Int, fuel: Int, as wanted: String? = nil) -> FilterExpression {
        let attribute = wanted ?? Self.attributes.randomElement(using: &random) ?? "n"
        switch Int.random(in: 0..<(fuel > 0 ? 7 : 2), using: &random) {
        case 0: return path(entity, depth: depth, attribute)
        case 1 where attribute == "n":
            return .arithmetic(path(entity, depth: depth, "n"), .add, .literal(.integer(2)))
        case 1 where attribute == "s" && depth == 0: return .coalesce(path(entity, depth: depth, "s"), .literal(.text("none")))
        case 1: return path(entity, depth: depth, attribute)
        case 2 where wanted == nil: return condition(entity, depth: depth, fuel: fuel - 1)
        default:
            guard var members = members(entity, depth: depth, fuel: fuel) else { return path(entity, depth: depth, attribute) }
            if attribute == "n", Bool.random(using: &random) { return .aggregate(FilterAggregate(.count, of: members)) }
            var functions: [FilterAggregate.Function] = [.min, .max, .earliest, .latest]
            if attribute == "n" || (attribute == "x" && wanted == nil) { functions += [.sum] }
            if attribute == "m" { functions += [.sum] }
            if attribute == "x" || attribute == "m", wanted == nil { functions += [.average] }
            let function = functions.randomElement(using: &random) ?? .min
            members.path.names.append(attribute)
            let order = function == .earliest || function == .latest ? [["n", "d", "s"].randomElement(using: &random) ?? "n"] : []
            return .aggregate(FilterAggregate(function, of: members, by: order))
        }
    }
}
