import Foundation
import Glibc

/// Lines for the journal: a priority in angle brackets, then the text. Never a query string, a token or a value of a record.
package struct ServiceLog: Sendable {
    package enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
    }

    private let write: @Sendable (String) -> Void

    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// One write(2) per line, so that lines of several threads do not mix.
    package static let standardError = ServiceLog { line in
        let bytes = Array((line + "\n").utf8)
        // A closed standard error leaves nobody to tell.
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    package func log(_ priority: Priority, _ text: String) {
        // A line feed in a path would start a line of the sender's choosing.
        let line = text.unicodeScalars.allSatisfy { $0.value >= 0x20 } ? text : String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
        write("<\(priority.rawValue)>\(line)")
    }
}
