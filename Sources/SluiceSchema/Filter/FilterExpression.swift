// The one language of conditions and derived values, as a value. `FilterParser` reads it in Swift's spelling and in SQL's, `#Predicate` says
// the same things about models, and `FilterTranslation` makes SQL of it. Its rules are Swift's, however it is spelled: nil equals nil and
// nothing else, no order holds for nil or a NaN, text is compared by characters.

/// A value that is worked out from one row and the rows that it is related to.
public indirect enum FilterExpression: Hashable, Sendable {
    case literal(RowFilter.Literal)
    case path(FilterPath)
    case and(FilterExpression, FilterExpression)
    case or(FilterExpression, FilterExpression)
    case not(FilterExpression)
    case comparison(FilterExpression, RowFilter.Comparison, FilterExpression)
    /// One of several values.
    case membership(FilterExpression, [RowFilter.Literal])
    case text(FilterExpression, TextTest, FilterExpression)
    case arithmetic(FilterExpression, Arithmetic, FilterExpression)
    /// The second where the first is nil.
    case coalesce(FilterExpression, FilterExpression)
    case choice(FilterExpression, FilterExpression, FilterExpression)
    /// How many characters a text has.
    case length(FilterExpression)
    /// Whether a condition holds for some, or for all, of the rows at the end of a to-many relationship.
    case some(FilterMembers)
    case all(FilterMembers)
    case aggregate(FilterAggregate)

    public enum TextTest: String, Hashable, Sendable, CaseIterable {
        case contains
        case hasPrefix
        case hasSuffix
        /// Without regard to case and diacritics.
        case localizedStandardContains
        /// −1, 0 or 1, as `caseInsensitiveCompare` puts two texts in order.
        case caseInsensitiveCompare
        /// SQL's `LIKE`: `%` and `_` stand for others, and A–Z are a–z.
        case like
    }

    public enum Arithmetic: String, Hashable, Sendable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
    }
}

/// A property of one of the rows in sight. `depth` 0 is the row that the filter is about; each member of a to-many relationship that a
/// closure or a `where` looks at is one deeper.
public struct FilterPath: Hashable, Sendable {
    public var depth: Int
    /// At least one name.
    public var names: [String]

    public init(depth: Int = 0, _ names: [String]) {
        self.depth = depth
        self.names = names
    }

    /// The names with points between them, as errors quote a path.
    var dotted: String {
        // Nearly always one: `joined` is left for the others, as each unspecialized call of the library costs a helper at its start.
        names.count == 1 ? names[0] : names.joined(separator: ".")
    }
}

/// Rows at the end of a to-many relationship; in `condition` they are one deeper than the row they are reached from.
public struct FilterMembers: Hashable, Sendable {
    public var path: FilterPath
    /// The depth of a member in `condition` and in the values of an aggregate.
    public var depth: Int
    public var condition: FilterExpression?

    public init(_ path: FilterPath, depth: Int, where condition: FilterExpression? = nil) {
        self.path = path
        self.depth = depth
        self.condition = condition
    }
}

/// One value worked out from many rows.
public struct FilterAggregate: Hashable, Sendable {
    public enum Function: String, Hashable, Sendable, CaseIterable {
        case count
        /// 0 where there are none; nil where it does not fit into 64 bits.
        case sum
        case average
        case min
        case max
        /// The value in the row that is first or last by another property.
        case earliest
        case latest
    }

    public var function: Function
    /// The path leads over one to-many relationship; what follows it is the value of each member.
    public var members: FilterMembers
    /// What `earliest` and `latest` go by, from the member.
    public var order: [String]

    public init(_ function: Function, of members: FilterMembers, by order: [String] = []) {
        self.function = function
        self.members = members
        self.order = order
    }
}

extension FilterExpression {
    /// A filter as an expression.
    public init(_ filter: RowFilter) {
        switch filter {
        case .comparison(let path, let comparison, let literal):
            self = .comparison(.path(FilterPath(path.names)), comparison, .literal(literal))
        case .membership(let path, let literals): self = .membership(.path(FilterPath(path.names)), literals)
        case .match(let path, let match, let text):
            self = .text(.path(FilterPath(path.names)), match == .contains ? .contains : .hasPrefix, .literal(.text(text)))
        case .and(let left, let right): self = .and(FilterExpression(left), FilterExpression(right))
        case .or(let left, let right): self = .or(FilterExpression(left), FilterExpression(right))
        case .not(let inner): self = .not(FilterExpression(inner))
        case .expression(let expression): self = expression
        }
    }
}

extension RowFilter {
    /// An expression as a filter, in the simplest form that says it.
    init(_ expression: FilterExpression) {
        switch expression {
        case .and(let left, let right): self = .and(RowFilter(left), RowFilter(right))
        case .or(let left, let right): self = .or(RowFilter(left), RowFilter(right))
        case .not(let inner): self = .not(RowFilter(inner))
        case .path(let path) where path.depth == 0: self = .comparison(PropertyPath(path.names), .equal, .boolean(true))
        case .comparison(.path(let path), let comparison, .literal(let literal)) where path.depth == 0:
            self = .comparison(PropertyPath(path.names), comparison, literal)
        case .membership(.path(let path), let literals) where path.depth == 0: self = .membership(PropertyPath(path.names), literals)
        case .text(.path(let path), .contains, .literal(.text(let text))) where path.depth == 0:
            self = .match(PropertyPath(path.names), .contains, text)
        case .text(.path(let path), .hasPrefix, .literal(.text(let text))) where path.depth == 0:
            self = .match(PropertyPath(path.names), .hasPrefix, text)
        default: self = .expression(expression)
        }
    }
}
