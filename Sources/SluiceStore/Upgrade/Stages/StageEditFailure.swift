package import SluiceSchema

/// An edit of a stage that the rows do not allow. Everything is rolled back.
package struct StageEditFailure: Error, Sendable, CustomStringConvertible {
    package enum Reason: Sendable {
        /// The edit cannot run at all.
        case faults([StageFault])
        /// So many rows would get a value that is none of the property's type, or out of its range.
        case wrongValues(type: String, rows: Int)
        /// So many rows would get no value, and one is required.
        case missingValues(rows: Int)
        /// So many rows would refer to what is no row of the destination.
        case lostReferences(destination: String, rows: Int)
        /// Two rows would have the same values where they are unique.
        case duplicates(properties: [String])
        /// A delete rule forbids it.
        case denied(StoreError)
        /// SQLite's own words.
        case refused(String)
    }

    package let version: SchemaVersion
    package let half: StageFault.Half
    /// From 1.
    package let edit: Int
    package let entity: String
    /// nil where it is not one property's fault.
    package let property: String?
    package let reason: Reason

    package var description: String {
        let place = property.map { "\(entity).\($0)" } ?? entity
        return "version \(version), \(half.rawValue), edit \(edit), \(place): \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .faults(let faults): faults.map { "found \($0.found); expected \($0.expected)" }.joined(separator: "; ")
        case .wrongValues(let type, let rows):
            "\(Self.rows(rows)) get a value that is no \(type): convert it in the expression, or narrow `where`"
        case .missingValues(let rows): "\(Self.rows(rows)) get no value, and one is required: give one with coalesce(…, …)"
        case .lostReferences(let destination, let rows):
            "\(Self.rows(rows)) refer to no row of \(destination): give the _pk of one, or NULL"
        case .duplicates(let properties):
            "two rows would have the same \(properties.joined(separator: " and ")), which is unique: "
                + "merge or delete one of them in an edit before"
        case .denied(let error): "\(error)"
        case .refused(let message): "SQLite refused it (\(message))"
        }
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row would" : "\(count) rows would" }
}
