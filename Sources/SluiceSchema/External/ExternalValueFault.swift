import Glibc

/// Why an external value cannot be read: the file, what is wrong with it, and whose value it is. It never reads as another value instead.
package struct ExternalValueFault: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case missing
        case notPermitted
        case otherSize(expected: Int, found: Int)
        /// The file has the right size, and its bytes are others.
        case otherContents
        case unreadable(errno: Int32)
        /// The store lies in memory, or in a place that is not known: there is no folder beside it.
        case noFolder
    }

    /// The file; the reference's text where there is none.
    package let path: String
    package let reason: Reason
    /// Whose value it is, as far as that is known.
    package private(set) var entity: String?
    package private(set) var attribute: String?
    package private(set) var record: RecordName?

    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    package func of(_ attribute: String, in entity: String, record: RecordName?) -> ExternalValueFault {
        var fault = self
        fault.attribute = attribute
        fault.entity = entity
        fault.record = record
        return fault
    }
}

extension ExternalValueFault: CustomStringConvertible {
    package var description: String {
        "\(whose) lies in \(path), \(summary): \(advice)"
    }

    /// As in `the value of Photo.image of record X`.
    package var whose: String {
        guard let entity, let attribute else { return "a value" }
        return "the value of \(entity).\(attribute)" + (record.map { " of record \($0)" } ?? "")
    }

    /// What is wrong with the file.
    package var summary: String {
        switch reason {
        case .missing: "which is missing"
        case .notPermitted: "which this user may not read"
        case .otherSize(let expected, let found): "which has \(found) bytes instead of \(expected)"
        case .otherContents: "whose contents are not what was stored"
        case .unreadable(let code): "which cannot be read (\(String(cString: strerror(code))))"
        case .noFolder: "and this store has no folder beside it"
        }
    }

    private var advice: String {
        switch reason {
        case .notPermitted: "check its owner and mode"
        case .unreadable: "try again later"
        case .missing, .otherSize, .otherContents, .noFolder: "restore it from a backup, or set the property again"
        }
    }
}
