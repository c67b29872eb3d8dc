/// What is wrong with a piece of JSON of the wire dialect, and where in it.
///
/// The text names keys and expectations, never values: those belong to the user.
package struct WireError: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// Not JSON: `detail` says what was expected instead.
        case malformed
        /// Nested deeper than `JSONLimits.depth`.
        case tooDeep
        /// One object names a key twice; which of the two was meant cannot be known.
        case duplicateKey
        /// A string is not UTF-8, or an escape names half of a surrogate pair.
        case notUnicode
        /// A number that Int64 and Double cannot hold, or NaN or ∞ on the way out: JSON has no form for them.
        case numberOutOfRange
        /// A required key is absent or null.
        case missing
        /// Another kind of value stands there.
        case unexpected
        /// A field type tag that the dialect does not have.
        case unknownType
    }

    package let code: Code
    /// What was expected, or what to do next.
    package let detail: String
    /// Where, outermost first: `operations[3].record.fields.price`. Empty at the top.
    package let path: String

    package init(_ code: Code, _ detail: String, path: String = "") {
        self.code = code
        self.detail = detail
        self.path = path
    }

    /// The same error, seen from one level further out.
    package func inside(_ step: String) -> WireError {
        let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return WireError(code, detail, path: step + joint + path)
    }
}

extension WireError: CustomStringConvertible {
    package var description: String { path.isEmpty ? detail : "\(path): \(detail)" }
}

/// Runs `body` and puts `step` in front of the path of what it throws.
package func within<Result>(
    _ step: @autoclosure () -> String, _ body: () throws(WireError) -> Result
) throws(WireError) -> Result {
    do { return try body() } catch { throw error.inside(step()) }
}
