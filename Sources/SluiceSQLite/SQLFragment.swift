/// A piece of SQL together with the values of its placeholders, in their order.
///
/// Pieces are put together by interpolation, so that text and values cannot come apart: `"\(left) = \(bind: value)"`.
package struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
    package private(set) var text: String
    package private(set) var values: [SQLiteValue]

    package init(_ text: String, _ values: [SQLiteValue] = []) {
        self.text = text
        self.values = values
    }

    package init(stringLiteral text: String) { self.init(text) }
    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

    /// Puts another value in for the last placeholder; there must be one.
    package mutating func replaceLastValue(by value: SQLiteValue) { values[values.count - 1] = value }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = SQLFragment("")

        package init(literalCapacity: Int, interpolationCount: Int) { fragment.text.reserveCapacity(literalCapacity + interpolationCount * 32) }

        package mutating func appendLiteral(_ literal: String) { fragment.text += literal }

        package mutating func appendInterpolation(_ other: SQLFragment) {
            fragment.text += other.text
            fragment.values += other.values
        }

        /// A value as a placeholder.
        package mutating func appendInterpolation(bind value: SQLiteValue) {
            fragment.text += "?"
            fragment.values.append(value)
        }

        /// SQL as it stands: names, which cannot be bound. They are quoted already.
        package mutating func appendInterpolation(sql text: String) { fragment.text += text }
    }
}

extension Sequence<SQLFragment> {
    package func joined(by separator: String) -> SQLFragment {
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
