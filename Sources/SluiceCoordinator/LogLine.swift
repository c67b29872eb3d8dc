/// One line of the log. On stderr with journald's priority prefix (sd-daemon(3)). Lines carry counts, names of accounts, entities and records;
/// never values, never secrets.
package struct LogLine: Sendable {
    package enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
    }

    package let priority: Priority
    package let text: String

    package static func error(_ text: String) -> LogLine { LogLine(priority: .error, text: text) }
    package static func warning(_ text: String) -> LogLine { LogLine(priority: .warning, text: text) }
    package static func notice(_ text: String) -> LogLine { LogLine(priority: .notice, text: text) }
    package static func info(_ text: String) -> LogLine { LogLine(priority: .info, text: text) }

    /// With the prefix that journald reads.
    package var journalText: String { "<\(priority.rawValue)>\(text)" }
}
