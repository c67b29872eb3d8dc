package import SluiceSchema

/// One object of a legacy file, in the words of the imported schema.
package struct LegacyRow: Sendable {
    package let entity: String
    /// `Z_PK`: unique among the rows of one hierarchy.
    package let primaryKey: Int64
    /// Stable: importing the same file again, here or on another device, gives the same name.
    package let recordName: RecordName
    /// Every attribute of the entity, inherited ones too.
    package let values: [String: PropertyValue]
    /// Every to-one of the entity; nil where it points at nothing, or at a row that is not there.
    package let toOne: [String: LegacyReference?]
}

/// What a to-one points at.
package struct LegacyReference: Hashable, Sendable {
    package let entity: String
    package let primaryKey: Int64
    /// The row's place among the other end's ordered members, in Core Data's own sparse numbers.
    package let position: Int64?
}

/// One membership in a to-many that is not kept in a to-one: many-to-many, or to-many without inverse.
package struct LegacyLink: Hashable, Sendable {
    /// The relationship of `owner` that holds `member`, and its inverse's name where there is one.
    package let relationship: String
    package let inverse: String?
    package let owner: LegacyReference
    package let member: LegacyReference
}

/// What reading the rows found that the tables alone do not show. Counts by property; examples are bounded.
package struct ReadFindings: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, Codable, Comparable {
        /// The value is of another kind than its attribute; it reads as nil.
        case unreadableValue
        /// A Boolean that is neither 0 nor 1; it reads as true.
        case oddBoolean
        /// The file of an external value is not there; it reads as nil.
        case missingExternalFile
        /// The other end does not exist, or is of an entity that the relationship does not allow; it reads as nil.
        case danglingReference

        package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    package struct Subject: Hashable, Sendable {
        package let kind: Kind
        package let entity: String
        package let property: String
    }

    private static let exampleCountMax = 5

    package private(set) var counts: [Subject: Int] = [:]
    package private(set) var examples: [Subject: [Int64]] = [:]
    package private(set) var rowCounts: [String: Int] = [:]
    package private(set) var linkCount = 0

    mutating func note(_ kind: Kind, _ entity: String, _ property: String, row: Int64) {
        let subject = Subject(kind: kind, entity: entity, property: property)
        counts[subject, default: 0] += 1
        if examples[subject, default: []].count < Self.exampleCountMax { examples[subject, default: []].append(row) }
    }

    mutating func count(row entity: String) { rowCounts[entity, default: 0] += 1 }
    mutating func countLink() { linkCount += 1 }
}
