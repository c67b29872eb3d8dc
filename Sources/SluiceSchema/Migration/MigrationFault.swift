/// One reason why a store cannot be brought from one schema to another as asked, and the line to write instead.
package enum MigrationFault: Hashable, Sendable {
    /// A value is required and nothing says what rows get that have none.
    /// - Parameter rows: how many lack it, where that was counted.
    case requiredWithoutDefault(entity: String, property: String, shape: String, rows: Int?)
    /// The values of a property do not all fit its new shape.
    /// - Parameter rows: how many do not, where that was counted.
    case narrowed(entity: String, property: String, from: String, to: String, rows: Int?)
    /// Something goes while something of the same shape comes, and nothing says whether it is the same. Without an entity: entities
    /// themselves.
    case ambiguousRename(entity: String?, gone: String, came: [String], shape: String)
    /// Rows of one entity would have to become rows of several, or the other way round.
    case tableSplitOrMerged(gone: [String], came: [String])
    /// Record names follow from identity attributes, and a record's name is for life.
    case identityChanged(entity: String, from: [String], to: [String])
    /// A relationship can hold one member from now on, and some rows have several.
    /// - Parameter owners: how many rows have several.
    case tooManyMembers(entity: String, relationship: String, owners: Int)
    /// Rows have the same values where they are to be unique.
    /// - Parameters:
    ///   - values: the values that stand several times, in the order of `properties`; some of them where there are very many.
    ///   - records: the rows that have them.
    case duplicates(entity: String, properties: [String], values: [[PropertyValue]], records: [RecordName])
}

extension MigrationFault {
    /// The entity it is about.
    package var entity: String? {
        switch self {
        case .requiredWithoutDefault(let entity, _, _, _), .narrowed(let entity, _, _, _, _), .identityChanged(let entity, _, _),
            .tooManyMembers(let entity, _, _), .duplicates(let entity, _, _, _):
            entity
        case .ambiguousRename(let entity, let gone, _, _): entity ?? gone
        case .tableSplitOrMerged(let gone, _): gone.first
        }
    }

    /// The property it is about; of several the first.
    package var property: String? {
        switch self {
        case .requiredWithoutDefault(_, let property, _, _), .narrowed(_, let property, _, _, _), .tooManyMembers(_, let property, _):
            property
        case .ambiguousRename(let entity, _, let came, _): entity == nil ? nil : came.first
        case .duplicates(_, let properties, _, _): properties.first
        case .identityChanged(_, let from, let to): to.first ?? from.first
        case .tableSplitOrMerged: nil
        }
    }

    /// What is wrong, naming both shapes. No values.
    package var problem: String {
        switch self {
        case .requiredWithoutDefault(let entity, let property, let shape, let rows):
            "\(entity).\(property) (\(shape)) is required and has no default" + (rows.map { ", and \(Self.rows($0)) no value" } ?? "")
        case .narrowed(let entity, let property, let from, let to, let rows):
            "\(entity).\(property) changes from \(from) to \(to)"
                + (rows.map { ", and \(Self.rows($0)) a value that does not fit" } ?? ", which not every value survives")
        case .ambiguousRename(let entity, let gone, let came, let shape):
            (entity.map { "\($0).\(gone)" } ?? "entity \(gone)")
                + " (\(shape)) goes while \(came.joined(separator: " and ")) of the same shape "
                + (came.count == 1 ? "comes" : "come")
        case .tableSplitOrMerged(let gone, let came):
            "rows of \(gone.joined(separator: " and ")) would have to become rows of \(came.joined(separator: " and "))"
        case .identityChanged(let entity, let from, let to):
            "\(entity) takes its record names from \(Self.list(from)) so far and from \(Self.list(to)) now"
        case .tooManyMembers(let entity, let relationship, let owners):
            "\(entity).\(relationship) holds one member from now on, and \(Self.rows(owners)) several"
        case .duplicates(let entity, let properties, _, let records):
            "\(properties.joined(separator: " and ")) of \(entity) is to be unique, and \(records.count) records share values: "
                + records.prefix(10).map(\.text).joined(separator: ", ") + (records.count > 10 ? ", …" : "")
        }
    }

    /// The line to write.
    package var advice: String {
        switch self {
        case .requiredWithoutDefault(_, let property, _, _):
            "give \(property) a default at its declaration, make it optional, or fill it in a custom stage"
        case .narrowed(let entity, let property, _, _, _):
            "convert the values of \(entity).\(property) in a custom stage, or add a property of the new type beside it"
        case .ambiguousRename(let entity, let gone, let came, _):
            if let entity {
                "write @Attribute(originalName: \"\(gone)\") on \(came.joined(separator: " or ")) to keep the values, "
                    + "or discard \(entity).\(gone)"
            } else {
                "write @Model(originalName: \"\(gone)\") on \(came.joined(separator: " or ")) to keep the rows, or discard \(gone)"
            }
        case .tableSplitOrMerged: "write a custom stage that makes the new rows from the old ones"
        case .identityChanged(let entity, let from, _):
            "keep \(Self.list(from)) as the identity of \(entity), or add an entity with the new one and copy the rows in a custom stage"
        case .tooManyMembers(_, let relationship, _): "leave one member in \(relationship) of each row in willMigrate of a custom stage"
        case .duplicates: "merge or change those records in willMigrate of a custom stage"
        }
    }

    /// For a person at a terminal: the values that stand twice, too. Never for a log.
    package var detail: String {
        guard case .duplicates(_, _, let values, _) = self else { return description }
        let shown = values.map { "(" + $0.map { ScalarForm($0).text }.joined(separator: ", ") + ")" }.joined(separator: ", ")
        return "\(problem); the values are \(shown): \(advice)"
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row has" : "\(count) rows have" }
    private static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: " and ") }
}

extension MigrationFault: CustomStringConvertible {
    package var description: String { "\(problem): \(advice)" }
}

/// A step between two schemas that is not taken. The store is as it was.
package struct MigrationRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let from: SchemaVersion
    package let to: SchemaVersion
    /// All that was found, not only the first.
    package let faults: [MigrationFault]

    package init(from: SchemaVersion, to: SchemaVersion, faults: [MigrationFault]) {
        self.from = from
        self.to = to
        self.faults = faults
    }

    package var description: String {
        "the store was not migrated from \(from) to \(to): " + faults.map(\.description).joined(separator: "; ")
    }
}
