import SluiceData

/// Puts predicates over pieces together at random: every node that predicates have, on attributes of every kind.
///
/// What would stop the program in memory is left out: numbers that overflow, divisors of zero, ranges the wrong way round.
struct PredicateGenerator {
    typealias Values = GeneratedValues
    typealias Operator = PredicateExpressions.ComparisonOperator

    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func predicate() -> Predicate<Piece> {
        let depth = random.number(0..<4)
        return Predicate<Piece> { condition(Node($0), depth) }
    }

    // MARK: Conditions

    mutating func condition(_ piece: Node<Piece>, _ depth: Int) -> Node<Bool> {
        guard depth > 0 else { return test(piece) }
        switch random.number(0..<8) {
        case 0, 1: return condition(piece, depth - 1).and(condition(piece, depth - 1))
        case 2, 3: return condition(piece, depth - 1).or(condition(piece, depth - 1))
        case 4: return condition(piece, depth - 1).negated
        case 5: return .choose(condition(piece, depth - 1), condition(piece, depth - 1), condition(piece, depth - 1))
        case 6: return condition(piece, depth - 1).equal(condition(piece, depth - 1))
        default: return related(piece, depth - 1)
        }
    }

    private mutating func test(_ piece: Node<Piece>) -> Node<Bool> {
        switch random.number(0..<14) {
        case 0: piece.key(\.isShown)
        case 1: equality(piece.key(\.isLent), random.maybe([true, false]))
        case 2, 3, 4: textTest(text(piece))
        case 5: optionalText(piece)
        case 6, 7: order(number(piece, 2), number(piece, 1), Values.numbers)
        case 8: order(real(piece, 1), .value(random.pick(Values.reals)), Values.reals.filter { !$0.isNaN })
        case 9: scalar(piece)
        case 10: optionalScalar(piece)
        case 11: codable(piece)
        case 12: enumeration(piece)
        default: related(piece, 0)
        }
    }

    // MARK: Comparisons

    mutating func equality<T: Equatable & Codable>(_ left: Node<T>, _ value: T, among others: [T] = []) -> Node<Bool> {
        switch random.number(0..<4) {
        case 0: left.differs(.value(value))
        case 1: left.isMember(of: others.filter { _ in random.chance(40) })
        case 2: Node<T>.value(value).equal(left)
        default: left.equal(.value(value))
        }
    }

    mutating func order<T: Comparable & Codable>(_ left: Node<T>, _ right: Node<T>, _ values: [T]) -> Node<Bool> {
        let operations: [Operator] = [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]
        switch random.number(0..<7) {
        case 0: return left.equal(right)
        case 1: return left.differs(right)
        case 2:
            let bounds = [random.pick(values), random.pick(values)].sorted()
            return left.isIn(.value(bounds[0]), .value(bounds[1]), closed: random.chance(50))
        case 3: return equality(left, random.pick(values), among: values)
        default: return left.compare(random.pick(operations), right)
        }
    }

    mutating func textTest(_ text: Node<String>) -> Node<Bool> {
        let other: Node<String> = .value(random.pick(Values.texts))
        switch random.number(0..<7) {
        case 0: return text.contains(other)
        case 1: return text.starts(with: other)
        case 2: return text.search(other)
        case 3: return text.key(\.isEmpty)
        case 4: return order(text.key(\.count), .value(random.number(0..<4)), Values.numbers)
        case 5: return equality(text, random.pick(Values.texts), among: Values.texts)
        default: return order(text, .value(random.pick(Values.landmarks)), Values.landmarks)
        }
    }
}
