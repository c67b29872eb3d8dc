import SluiceSQLite

/// A piece of SQL together with the values of its placeholders, in their order.
///
/// Pieces are put together by interpolation, so that text and values cannot come apart: `"\(left) = \(bind: value)"`.
struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
    private(set) var text: String
    private(set) var values: [SQLiteValue]

    init(_ text: String, _ values: [SQLiteValue] = []) {
        self.text = text
        self.values = values
    }

    init(stringLiteral text: String) { self.init(text) }
    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

    /// Puts another value in for the last placeholder; there must be one.
    mutating func replaceLastValue(by value: SQLiteValue) { values[values.count - 1] = value }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = SQLFragment("")

        init(literalCapacity: Int, interpolationCount: Int) { fragment.text.reserveCapacity(literalCapacity + interpolationCount * 32) }

        mutating func appendLiteral(_ literal: String) { fragment.text += literal }

        mutating func appendInterpolation(_ other: SQLFragment) {
            fragment.text += other.text
            fragment.values += other.values
        }

        /// A value as a placeholder.
        mutating func appendInterpolation(bind value: SQLiteValue) {
            fragment.text += "?"
            fragment.values.append(value)
        }

        /// SQL as it stands: names, which cannot be bound. They are quoted already.
        mutating func appendInterpolation(sql text: String) { fragment.text += text }
    }
}

extension Sequence<SQLFragment> {
    func joined(by separator: String) -> SQLFragment {
        var text = ""
        var values: [SQLiteValue] = []
        for (index, fragment) in enumerated() {
            if index > 0 { text += separator }
            text += fragment.text
            values += fragment.values
        }
        return SQLFragment(text, values)
    }
}
