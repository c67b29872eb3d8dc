/// What is wrong with a JSON export, and where in it.
package struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1 as editors do; of the piece that is wrong.
    package let line: Int
    /// Names keys and expectations, never values: those belong to the user.
    package let detail: String

    package var description: String { "line \(line): \(detail)" }
}
