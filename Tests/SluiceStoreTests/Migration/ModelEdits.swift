import Foundation
import SluiceSchema

/// Random changes of a schema, each carried out on the rows in memory as the rules say.
extension ModelMigration {
    typealias Random = SplitMix

    /// One change, or none where the one that was drawn does not apply.
    mutating func edit(using random: inout Random) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: addAttribute(hasDefault: false, using: &random)
        case 2, 3: addAttribute(hasDefault: true, using: &random)
        case 4: removeAttribute(using: &random)
        case 5, 6: renameAttribute(using: &random)
        case 7: widen(using: &random)
        case 8: require(using: &random)
        case 9: addKind(using: &random)
        case 10: removeKind(using: &random)
        case 11: renameKind(using: &random)
        case 12: addSubkind(using: &random)
        case 13, 14: addLink(using: &random)
        case 15: if let place = oldLink(using: &random) { links.remove(at: place) }
        case 16: if let place = oldLink(using: &random) { rename(link: place) }
        case 17: addInverse(using: &random)
        case 18: changeCardinality(using: &random)
        default: toggle(using: &random)
        }
    }

    // MARK: Attributes

    private func kind(using random: inout Random) -> Int? { kinds.indices.randomElement(using: &random) }

    private mutating func addAttribute(hasDefault: Bool, using random: inout Random) {
        guard let place = kind(using: &random), let type = AttributeType.allCases.randomElement(using: &random) else { return }
        let value = hasDefault ? PropertyValue.random(type, using: &random) : nil
        let isOptional = !hasDefault || Bool.random(using: &random)
        let property = Property(name: freshName("a"), type: type, isOptional: isOptional, defaultValue: value)
        let position = Int.random(in: 0...kinds[place].attributes.count, using: &random)
        kinds[place].attributes.insert(property, at: position)
        update(kinds[place].name) { $0.values[property.name] = value ?? .null }
    }

    private mutating func update(_ entity: String, _ body: (inout Row) -> Void) {
        for name in rows.keys {
            guard var row = rows[name], isOf(entity, row) else { continue }
            body(&row)
            rows[name] = row
        }
    }

    /// An attribute that no earlier change of the step touched.
    private func oldAttribute(using random: inout Random) -> (kind: Int, place: Int)? {
        let places = kinds.indices.flatMap { kind in
            kinds[kind].attributes.indices.filter {
                !kinds[kind].attributes[$0].isNew && kinds[kind].index != kinds[kind].attributes[$0].name
            }
            .map { (kind, $0) }
        }
        return places.randomElement(using: &random).map { (kind: $0.0, place: $0.1) }
    }

    private mutating func removeAttribute(using random: inout Random) {
        guard let (kind, place) = oldAttribute(using: &random) else { return }
        let gone = kinds[kind].attributes.remove(at: place).name
        update(kinds[kind].name) { $0.values[gone] = nil }
    }

    private mutating func renameAttribute(using random: inout Random) {
        guard let (kind, place) = oldAttribute(using: &random) else { return }
        let (old, new) = (kinds[kind].attributes[place].name, freshName("a"))
        kinds[kind].attributes[place].name = new
        kinds[kind].attributes[place].hint = old
        kinds[kind].attributes[place].isNew = true
        update(kinds[kind].name) { row in
            row.values[new] = row.values[old]
            row.values[old] = nil
        }
    }

    private mutating func widen(using random: inout Random) {
        guard let (kind, place) = oldAttribute(using: &random) else { return }
        let property = kinds[kind].attributes[place]
        let wider: [AttributeType: [AttributeType]] = [
            .int16: [.int32, .int64, .double], .int32: [.int64, .double], .boolean: [.int16, .int64], .float: [.double], .url: [.string],
        ]
        guard let type = wider[property.type]?.randomElement(using: &random) else { return }
        func widened(_ value: PropertyValue) -> PropertyValue {
            switch (value, type) {
            case (.integer(let number), .double): .double(Double(number))
            case (.boolean(let flag), _): .integer(flag ? 1 : 0)
            default: value
            }
        }
        kinds[kind].attributes[place].type = type
        kinds[kind].attributes[place].defaultValue = property.defaultValue.map(widened)
        kinds[kind].attributes[place].isNew = true
        update(kinds[kind].name) { row in row.values[property.name] = row.values[property.name].map(widened) }
    }

    private mutating func require(using random: inout Random) {
        guard let (kind, place) = oldAttribute(using: &random) else { return }
        let property = kinds[kind].attributes[place]
        kinds[kind].attributes[place].isNew = true
        kinds[kind].attributes[place].isOptional.toggle()
        guard property.isOptional else { return }
        let value = PropertyValue.random(property.type, using: &random)
        kinds[kind].attributes[place].defaultValue = value
        update(kinds[kind].name) { row in if row.values[property.name] == .null { row.values[property.name] = value } }
    }

    // MARK: Entities

    private mutating func addKind(using random: inout Random) { kinds.append(Kind(name: freshName("E"))) }

    private mutating func addSubkind(using random: inout Random) {
        guard let parent = kinds.filter({ $0.parent == nil }).randomElement(using: &random) else { return }
        kinds.append(Kind(name: freshName("E"), parent: parent.name))
    }

    private mutating func removeKind(using random: inout Random) {
        guard kinds.count > 2, let place = kind(using: &random), !kinds[place].isNew else { return }
        let name = kinds[place].name
        guard !kinds.contains(where: { $0.parent == name }) else { return }
        remove(Set(rows.filter { $0.value.entity == name }.keys))
        links.removeAll { $0.owner == name || $0.destination == name }
        kinds.remove(at: place)
    }

    private mutating func renameKind(using random: inout Random) {
        guard let place = kind(using: &random), !kinds[place].isNew else { return }
        let (old, new) = (kinds[place].name, freshName("E"))
        kinds[place].name = new
        kinds[place].hint = old
        kinds[place].isNew = true
        for index in kinds.indices where kinds[index].parent == old { kinds[index].parent = new }
        for index in links.indices {
            if links[index].owner == old { links[index].owner = new }
            if links[index].destination == old { links[index].destination = new }
        }
        for name in rows.keys where rows[name]?.entity == old { rows[name]?.entity = new }
    }

    private mutating func toggle(using random: inout Random) {
        if Bool.random(using: &random), let place = kind(using: &random) {
            let own = kinds[place].attributes.filter { !$0.isNew }
            kinds[place].index = kinds[place].index == nil ? own.randomElement(using: &random)?.name : nil
        } else if let place = oldLink(using: &random), links[place].isToMany {
            links[place].isOrdered.toggle()
            links[place].isNew = true
            links[place].pairs.sort { ($0.owner, $0.member) < ($1.owner, $1.member) }
        }
    }

    // MARK: Relationships

    private func oldLink(using random: inout Random) -> Int? { links.indices.filter { !links[$0].isNew }.randomElement(using: &random) }

    private mutating func addLink(using random: inout Random) {
        let roots = kinds.filter { $0.parent == nil }.map(\.name)
        guard let owner = roots.randomElement(using: &random), let destination = roots.randomElement(using: &random) else { return }
        var link = Link(owner: owner, name: freshName("r"), destination: destination, isToMany: Bool.random(using: &random))
        if link.isToMany, Bool.random(using: &random) {
            link.inverse = freshName("r")
            link.isInverseToMany = Bool.random(using: &random)
            link.isOrdered = Bool.random(using: &random)
        }
        links.append(link)
    }

    private mutating func rename(link place: Int) {
        let old = links[place].name
        links[place].name = freshName("r")
        links[place].hint = old
        links[place].isNew = true
    }

    private mutating func addInverse(using random: inout Random) {
        guard let place = oldLink(using: &random), links[place].inverse == nil else { return }
        links[place].inverse = freshName("r")
        links[place].isInverseToMany = !links[place].isToMany
        links[place].isNew = true
    }

    private mutating func changeCardinality(using random: inout Random) {
        guard let place = oldLink(using: &random), links[place].isToMany, links[place].inverse != nil else { return }
        let owners = Dictionary(grouping: links[place].pairs, by: \.member)
        guard !links[place].isInverseToMany || owners.allSatisfy({ $0.value.count == 1 }) else { return }
        links[place].isInverseToMany.toggle()
        links[place].isNew = true
    }
}

extension PropertyValue {
    static func random(_ type: AttributeType, using random: inout SplitMix) -> PropertyValue {
        let texts = ["", "a", "it's", "e\u{301}", "\u{E9}", "\u{1F9C3} juice", "42", "nan"]
        let text = texts.randomElement(using: &random) ?? ""
        switch type {
        case .string, .url: return .string(text)
        case .int16: return .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
        case .int32: return .integer(Int64(Int32.random(in: .min ... .max, using: &random)))
        case .int64: return .integer(Int64.random(in: .min ... .max, using: &random))
        case .boolean: return .boolean(Bool.random(using: &random))
        case .float, .double: return .double([0, -0.0, 1.5, -2.25, .nan, .infinity, 1e300].randomElement(using: &random) ?? 0)
        case .decimal: return .decimal(Decimal(Int.random(in: -1_000...1_000, using: &random)) / 100)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -1_000...1_000, using: &random)) / 8))
        case .data, .codable, .transformable: return .data(Data(text.utf8))
        case .uuid:
            let (high, low) = (random.next(), random.next())
            return .uuid(withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        }
    }
}

/// The same numbers for the same seed (splitmix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
