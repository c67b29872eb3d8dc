/// Something that is wrong with an account or its machine, and what mends it.
package struct HealthFinding: Hashable, Sendable, Codable {
    package enum Severity: String, Sendable, Codable {
        /// A store is damaged, or cannot be opened as it is.
        case damage
        /// Something does not work, or will not for long.
        case fault
        /// Something that may be meant so.
        case warning
    }

    /// Nil for what concerns the whole machine.
    package var account: String?
    package let severity: Severity
    /// What is wrong, with which thing.
    package let finding: String
    /// The command that mends it, as it is typed; several with `&&` or on a line of words where a person has to decide.
    package let remedy: String

    package init(_ severity: Severity, _ finding: String, remedy: String) {
        self.severity = severity
        self.finding = finding
        self.remedy = remedy
    }
}

/// A path as a shell takes it.
func shellWord(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "+")...UInt8(ascii: ":")).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "@")
    }
    return plain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
}
