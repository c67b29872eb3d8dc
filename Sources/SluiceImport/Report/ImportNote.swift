/// One thing about an import that a person should know: what became other than it was in the legacy file, and how many rows it touches.
/// Entities and properties are called as in the imported schema, except where the case says otherwise.
package enum ImportNote: Hashable, Sendable, Codable {
    /// The file has no archived model; it was guessed from tables and columns.
    case modelGuessed
    case renamed(original: String, name: String)
    case compositeFlattened(property: String, members: [String])
    /// Swift's enumeration with payloads: the file has a column for each case.
    case enumeration(property: String, type: String, cases: [String])
    /// A composite that is one codable attribute here.
    case assembled(property: String, members: [String])
    /// The file has no table for the entity: it is one of several that share a model.
    case elsewhere(entity: String)
    case transformable(property: String, transformer: String, valueCount: Int)
    case derived(property: String)
    case objectIdentifier(property: String)
    case unknownType(property: String, code: Int, readAs: String)
    case transient(property: String)
    case fetchedProperty(property: String)
    case noPlaceInFile(property: String)
    case overrideIgnored(property: String)
    case defaultDropped(property: String)
    case inverseDropped(relationship: String, inverse: String)
    case constraintDropped(entity: String, properties: [String], reason: String)
    case countLimitDropped(relationship: String, rowCount: Int)
    case madeOptional(property: String, rowCount: Int)
    case widened(property: String, rowCount: Int)
    case madeConcrete(entity: String, rowCount: Int)
    case identity(entity: String, attribute: String)
    case identityRefused(entity: String, attribute: String, reason: String)
    case unreadableValue(property: String, count: Int, rows: [Int64])
    case oddBoolean(property: String, count: Int, rows: [Int64])
    case missingExternalFile(property: String, count: Int, rows: [Int64])
    /// Files beside the store that no value names.
    case unreferencedExternalFiles(count: Int, names: [String])
    case danglingReference(relationship: String, count: Int, rows: [Int64])
    /// Values in a column that belongs to other entities than the row's.
    case strayValues(table: String, column: String, count: Int)
    case unknownEntityNumber(table: String, number: Int64, rowCount: Int)
    /// By the mapping.
    case converted(property: String, from: String, to: String)
    case unconverted(property: String, to: String, count: Int)
    case rounded(property: String, to: String, count: Int)
    case referenceToOmitted(relationship: String, count: Int)
    case unusedObject(kind: String, name: String)
    case staging(StagingNote)
}

extension ImportNote: CustomStringConvertible {
    package var description: String {
        switch self {
        case .modelGuessed: "the file has no model inside: names are those of the columns, in capitals, and types those SQLite knows"
        case .renamed(let original, let name): "\(original) is called \(name)"
        case .compositeFlattened(let property, let members): "\(property) is kept as \(members.joined(separator: ", "))"
        case .enumeration(let property, let type, let cases):
            "\(property) is an enumeration\(type.isEmpty ? "" : " (\(type))"); each case has its own property: \(cases.joined(separator: ", "))"
        case .assembled(let property, let members): "\(property) is put together from \(members.joined(separator: ", ")), as JSON"
        case .elsewhere(let entity): "\(entity) and what inherits from it have no table in this file; another file of the set may hold them"
        case .transformable(let property, let transformer, let count):
            "\(property): \(count) values are kept as the bytes that \(transformer.isEmpty ? "a transformer" : transformer) made"
        case .derived(let property): "\(property) was derived; its values are kept as they were, and no longer follow"
        case .objectIdentifier(let property): "\(property) holds object identifiers of the old store; they are kept as text"
        case .unknownType(let property, let code, let type): "\(property) is of Core Data's type \(code), unknown here; kept as \(type)"
        case .transient(let property): "\(property) is transient: it has no value in the file"
        case .fetchedProperty(let property): "\(property) is a stored query, not a value"
        case .noPlaceInFile(let property): "\(property) stands in the model, but the file has no column or table for it"
        case .overrideIgnored(let property):
            "\(property) is described differently than where it is inherited from; the inherited form counts"
        case .defaultDropped(let property): "\(property): its default has no counterpart"
        case .inverseDropped(let relationship, let inverse): "\(relationship): its inverse \(inverse) does not point back and was dropped"
        case .constraintDropped(let entity, let properties, let reason):
            "\(entity): unique or indexed \(properties.joined(separator: ", ")) was dropped: \(reason)"
        case .countLimitDropped(let relationship, let count): "\(relationship): its limits were dropped: \(count) rows break them"
        case .madeOptional(let property, let count): "\(property) is optional now: \(count) rows have no value"
        case .widened(let property, let count): "\(property) is a 64-bit number now: \(count) rows hold a larger one than declared"
        case .madeConcrete(let entity, let count): "\(entity) is not abstract: it has \(count) rows of its own"
        case .identity(let entity, let attribute): "\(entity).\(attribute) is the record name"
        case .identityRefused(let entity, let attribute, let reason): "\(entity).\(attribute) is not the record name: \(reason)"
        case .unreadableValue(let property, let count, let rows):
            "\(property): \(count) values are of another kind and read as nil\(Self.text(rows))"
        case .oddBoolean(let property, let count, let rows):
            "\(property): \(count) values are neither 0 nor 1 and read as true\(Self.text(rows))"
        case .missingExternalFile(let property, let count, let rows):
            "\(property): \(count) external files are missing; nil\(Self.text(rows))"
        case .unreferencedExternalFiles(let count, let names):
            "\(count) external files are named by no row and left out (\(names.joined(separator: ", ")))"
        case .danglingReference(let relationship, let count, let rows):
            "\(relationship): \(count) references lead to no row and read as nil\(Self.text(rows))"
        case .strayValues(let table, let column, let count): "\(table).\(column): \(count) values stand in rows of other entities; left"
        case .unknownEntityNumber(let table, let number, let count):
            "\(table): \(count) rows of entity number \(number), which the model lacks; left"
        case .converted(let property, let from, let to): "\(property) is \(to) now; it was \(from)"
        case .unconverted(let property, let to, let count): "\(property): \(count) values have no form as \(to) and read as nil"
        case .rounded(let property, let to, let count): "\(property): \(count) values have no exact form as \(to); the nearest stays"
        case .referenceToOmitted(let relationship, let count):
            "\(relationship): \(count) references lead to rows that are omitted and read as nil"
        case .unusedObject(let kind, let name): "\(kind) \(name) is not carried over"
        case .staging(let note): note.description
        }
    }

    private static func text(_ rows: [Int64]) -> String {
        rows.isEmpty ? "" : " (for example rows \(rows.map(String.init).joined(separator: ", ")))"
    }
}

extension ImportNote {
    /// Whether something of the file's content is gone for it, and not only called or described otherwise.
    var isLoss: Bool {
        switch self {
        case .unreadableValue, .missingExternalFile, .danglingReference, .strayValues, .unknownEntityNumber, .unconverted, .rounded,
            .referenceToOmitted:
            true
        default: false
        }
    }
}
