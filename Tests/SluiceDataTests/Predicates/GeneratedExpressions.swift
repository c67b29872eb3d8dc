import SluiceData

// Expressions of each type.
extension PredicateGenerator {
    mutating func text(_ piece: Node<Piece>) -> Node<String> {
        switch random.number(0..<9) {
        case 0, 1, 2: piece.key(\.name)
        case 3: piece.key(\.motto)
        case 4: piece.key(\.note) ?? .value(random.pick(Values.texts))
        case 5: .choose(piece.key(\.isShown), piece.key(\.name), .value(random.pick(Values.texts)))
        case 6: piece.key(\.room).flatMap { $0.key(\.title) } ?? piece.key(\.name)
        case 7: piece.key(\.status).key(\.rawValue)
        default: piece.key(\.room).chain { $0.key(\.hint) } ?? .value(random.pick(Values.texts))
        }
    }

    mutating func optionalText(_ piece: Node<Piece>) -> Node<Bool> {
        let note = random.chance(50) ? piece.key(\.note) : piece.key(\.room).chain { $0.key(\.guardian) }.flatMap { $0.key(\.name) }
        let other = random.pick(Values.texts)
        switch random.number(0..<4) {
        case 0: return equality(note, random.maybe(Values.texts), among: Values.texts + [nil])
        case 1: return note.flatMap { $0.contains(.value(other)) } ?? .value(random.chance(50))
        case 2: return note.flatMap { $0.starts(with: .value(other)) }.equal(.value(random.maybe([true, false])))
        default: return equality(note.flatMap { $0.key(\.count) }, random.maybe(Values.numbers))
        }
    }

    mutating func number(_ piece: Node<Piece>, _ depth: Int) -> Node<Int> {
        guard depth > 0 else { return random.chance(50) ? piece.key(\.count) : .value(random.pick(Values.numbers)) }
        switch random.number(0..<10) {
        case 0: return number(piece, depth - 1).calculate(random.pick([.add, .subtract, .multiply]), number(piece, depth - 1))
        case 1: return number(piece, depth - 1).divided(by: .value(random.pick([-3, 1, 2, 7])))
        case 2: return number(piece, depth - 1).remainder(by: .value(random.pick([-3, 1, 2, 7])))
        case 3: return number(piece, depth - 1).negative
        case 4: return text(piece).key(\.count)
        case 5: return piece.key(\.parts).key(\.count)
        case 6: return piece.key(\.sizes).flatMap { $0.key(\.count) } ?? .value(random.pick(Values.numbers))
        case 7: return piece.key(\.room).flatMap { $0.key(\.area) } ?? piece.key(\.count)
        case 8: return .choose(piece.key(\.isShown), number(piece, depth - 1), number(piece, 0))
        default: return number(piece, 0)
        }
    }

    mutating func real(_ piece: Node<Piece>, _ depth: Int) -> Node<Double> {
        let leaf: Node<Double> = random.chance(70) ? piece.key(\.weight) : .value(random.pick(Values.reals))
        guard depth > 0 else { return leaf }
        switch random.number(0..<5) {
        case 0: return real(piece, 0).calculate(random.pick([.add, .subtract, .multiply]), real(piece, 0))
        case 1: return real(piece, 0).quotient(by: real(piece, 0))
        case 2: return real(piece, 0).negative
        case 3: return piece.key(\.made).key(\.timeIntervalSinceReferenceDate)
        default: return leaf
        }
    }

    mutating func scalar(_ piece: Node<Piece>) -> Node<Bool> {
        switch random.number(0..<7) {
        case 0: order(piece.key(\.large), .value(random.pick(Values.large)), Values.large)
        case 1: order(piece.key(\.price), .value(random.pick(Values.decimals)), Values.decimals)
        case 2: order(piece.key(\.made), .value(random.pick(Values.dates)), Values.dates)
        case 3: order(piece.key(\.made), piece.key(\.restored) ?? .value(random.pick(Values.dates)), [.distantPast, .distantFuture])
        case 4: order(piece.key(\.code), .value(random.pick(Values.codes)), Values.codes)
        case 5: equality(piece.key(\.scan), random.pick(Values.scans), among: Values.scans)
        default: order(piece.key(\.scan).key(\.count), .value(random.number(0..<4)), Values.numbers)
        }
    }

    mutating func optionalScalar(_ piece: Node<Piece>) -> Node<Bool> {
        switch random.number(0..<8) {
        case 0: equality(piece.key(\.small), random.maybe(Values.small), among: Values.small + [nil])
        case 1: order(piece.key(\.small) ?? .value(0), .value(random.pick(Values.small)), Values.small)
        case 2: equality(piece.key(\.ratio), random.maybe(Values.singles), among: Values.singles + [nil])
        case 3: order(piece.key(\.ratio) ?? .value(0), .value(random.pick(Values.singles)), Values.singles.filter { !$0.isNaN })
        case 4: equality(piece.key(\.restored), random.maybe(Values.dates), among: Values.dates + [nil])
        case 5: piece.key(\.restored).flatMap { $0.equal(piece.key(\.made)) } ?? .value(random.chance(50))
        case 6: equality(piece.key(\.twin), random.maybe(Values.codes), among: Values.codes + [nil])
        default: equality(piece.key(\.link), random.maybe(Values.links), among: Values.links + [nil])
        }
    }

    mutating func enumeration(_ piece: Node<Piece>) -> Node<Bool> {
        switch random.number(0..<5) {
        case 0: equality(piece.key(\.status), random.pick(Museum.Status.allCases), among: Museum.Status.allCases)
        case 1: equality(piece.key(\.level), random.maybe(Museum.Level.allCases), among: Museum.Level.allCases + [nil])
        case 2: order(piece.key(\.level) ?? .value(.middle), .value(random.pick(Museum.Level.allCases)), Museum.Level.allCases)
        case 3: equality(piece.key(\.level).flatMap { $0.key(\.rawValue) }, random.maybe([3, 5, 7]))
        default: equality(piece.key(\.surface), random.pick(Values.surfaces), among: Values.surfaces)
        }
    }

    mutating func codable(_ piece: Node<Piece>) -> Node<Bool> {
        let place = piece.key(\.place)
        let (text, number) = (random.pick(Values.texts), random.pick(Values.numbers))
        switch random.number(0..<12) {
        case 0: return equality(place, random.maybe(Values.places), among: Values.places + [nil])
        case 1: return equality(place.flatMap { $0.key(\.city) }, random.maybe(Values.texts), among: Values.texts)
        case 2: return equality(place.chain { $0.key(\.floor) }, random.maybe(Values.numbers), among: Values.numbers + [nil])
        case 3: return place.flatMap { $0.key(\.sign).key(\.text).contains(.value(text)) } ?? .value(random.chance(50))
        case 4: return place.flatMap { $0.key(\.isOutside) }.equal(.value(random.maybe([true, false])))
        case 5: return piece.key(\.tags).contains(.value(text))
        case 6: return piece.key(\.tags).contains(piece.key(\.name))
        case 7: return random.chance(50) ? piece.key(\.tags).key(\.isEmpty) : order(piece.key(\.tags).key(\.count), .value(1), Values.numbers)
        case 8:
            return random.chance(50) ? piece.key(\.tags).contains { textTest($0) } : piece.key(\.tags).allSatisfy { textTest($0) }
        case 9: return piece.key(\.sizes).flatMap { $0.contains(.value(number)) } ?? .value(random.chance(50))
        case 10: return piece.key(\.sizes).flatMap { $0.filter { $0.compare(.greaterThan, .value(1)) }.key(\.count) }.equal(.value(random.maybe([0, 1, 2])))
        default: return equality(Node(PredicateExpressions.DictionaryKeySubscript(wrapped: piece.key(\.labels), key: Node<String>.value(text))), random.maybe([1, 2, 3]))
        }
    }
}

// Conditions over relationships.
extension PredicateGenerator {
    mutating func related(_ piece: Node<Piece>, _ depth: Int) -> Node<Bool> {
        switch random.number(0..<12) {
        case 0: return piece.key(\.parts).contains { part(of: piece, $0) }
        case 1: return piece.key(\.parts).allSatisfy { part(of: piece, $0) }
        case 2: return order(piece.key(\.parts).filter { part(of: piece, $0) }.key(\.count), .value(random.number(0..<3)), [0, 1, 2])
        case 3: return random.chance(50) ? piece.key(\.parts).key(\.isEmpty) : piece.key(\.topics).key(\.isEmpty)
        case 4: return piece.key(\.topics).contains { textTest($0.key(\.title)) }
        case 5: return piece.key(\.topics).contains { topic in order(topic.key(\.pieces).key(\.count), number(piece, 0), Values.numbers) }
        case 6: return piece.key(\.room).flatMap { room(piece, $0) } ?? .value(random.chance(50))
        case 7: return piece.key(\.room).flatMap { room(piece, $0) }.equal(.value(random.maybe([true, false])))
        case 8: return piece.key(\.room).equal(Node(PredicateExpressions.NilLiteral<Hall>()))
        case 9: return piece.key(\.room).chain { $0.key(\.guardian) }.equal(piece.key(\.lender))
        case 10: return piece.key(\.lender).chain { $0.key(\.room) }.flatMap { room(piece, $0) }.differs(.value(random.maybe([true, false])))
        default:
            guard depth > 0 else { return textTest(piece.key(\.name)) }
            return piece.key(\.room).flatMap { $0.key(\.pieces).contains { condition($0, depth - 1) } }.equal(.value(random.maybe([true, false])))
        }
    }

    private mutating func part(of piece: Node<Piece>, _ part: Node<Part>) -> Node<Bool> {
        switch random.number(0..<7) {
        case 0: textTest(part.key(\.label))
        case 1: equality(part.key(\.size), random.maybe(Values.numbers), among: Values.numbers + [nil])
        case 2: part.key(\.end).flatMap { $0.compare(.lessThan, piece.key(\.made)) } ?? .value(random.chance(50))
        case 3: order(part.key(\.maker).flatMap { $0.key(\.rank) } ?? .value(0), piece.key(\.count), Values.numbers)
        case 4: part.key(\.maker).equal(piece.key(\.lender))
        case 5: part.key(\.label).equal(piece.key(\.name)).or(part.key(\.piece).flatMap { $0.key(\.isShown) } ?? .value(false))
        default: part.key(\.size).flatMap { order($0, piece.key(\.count), Values.numbers) }.equal(.value(random.maybe([true, false])))
        }
    }

    private mutating func room(_ piece: Node<Piece>, _ room: Node<Hall>) -> Node<Bool> {
        switch random.number(0..<7) {
        case 0: textTest(room.key(\.title))
        case 1: room.key(\.isOpen)
        case 2: equality(room.key(\.hint), random.maybe(Values.texts), among: Values.texts + [nil])
        case 3: order(room.key(\.area), piece.key(\.count), Values.numbers)
        case 4: room.key(\.guardian).flatMap { textTest($0.key(\.name)) } ?? .value(random.chance(50))
        case 5: room.key(\.pieces).contains { $0.key(\.name).equal(piece.key(\.name)).negated }
        default: room.key(\.pieces).contains(piece)
        }
    }
}
