// Which policy decides what. Names are those of the newest schema; a field that was renamed keeps its policy because both names lead to one column.
//
// 1. What is said of a field goes before what is said of its entity.
// 2. What is said of an entity goes before what is said of the one it inherits from.
// 3. Where nothing is said, `latestEdit`.

package import SluiceSchema

/// What wins where one device deleted a record and another edited it.
package enum DeletionPolicy: String, Sendable, Hashable, CaseIterable {
    /// The record stays deleted; the lost edit is in history.
    case deleteWins
    /// The record comes back, as whoever edited it has it, everywhere.
    case editWins
}

/// A program's own rule for one field: what becomes of two values that were both made on top of `base`. nil where that is not known. The same for the same
/// values, on every device. It may be asked several times for one conflict. What it returns nil for is decided by the policy of the entity.
package typealias MergeFunction = @Sendable (_ base: PropertyValue?, _ local: PropertyValue, _ remote: PropertyValue) -> PropertyValue?

/// A program's own rule for all attributes of an entity, by property name.
package typealias EntityMergeFunction = @Sendable (_ property: String, _ base: PropertyValue?, _ local: PropertyValue, _ remote: PropertyValue) -> PropertyValue?

/// What is said of one entity.
package struct EntityMergePolicy: Sendable {
    /// Of its fields as a whole; nil: as the entity that it inherits from.
    package var conflicts: ConflictPolicy?
    /// Of single fields, by property name.
    package var fields: [String: ConflictPolicy]
    /// The program's own rules for single attributes, by property name; they go before `fields`.
    package var functions: [String: MergeFunction]
    /// The program's own rule for all attributes of which nothing else is said; it goes before `conflicts`.
    package var function: EntityMergeFunction?
    /// nil: as the entity that it inherits from.
    package var deletions: DeletionPolicy?

    package init(
        conflicts: ConflictPolicy? = nil, fields: [String: ConflictPolicy] = [:], functions: [String: MergeFunction] = [:],
        function: EntityMergeFunction? = nil, deletions: DeletionPolicy? = nil
    ) {
        self.conflicts = conflicts
        self.function = function
        self.deletions = deletions
        self.fields = fields
        self.functions = functions
    }
}

/// Who wins where two devices changed the same, by entity. Made from an account's file, or by a program in code.
package struct MergePolicies: Sendable {
    /// By entity name.
    package var entities: [String: EntityMergePolicy]

    package init(_ entities: [String: EntityMergePolicy] = [:]) { self.entities = entities }

    /// What holds for the rows of one entity.
    func rules(of entity: StoredEntity, in schema: Schema) -> MergeRules {
        let lineage = schema.entity(named: entity.name).map { schema.lineage(of: $0).compactMap { entities[$0.name] } } ?? []
        let whole = lineage.lazy.compactMap(\.conflicts).first ?? .latestEdit
        // What a subclass says goes before what its superclass says, be it a policy or a function.
        let wholeFunction = lineage.first { $0.conflicts != nil || $0.function != nil }?.function
        var columns: [Int: ConflictPolicy] = [:]
        var functions: [Int: MergeFunction] = [:]
        for (column, property) in zip(entity.columns, entity.propertyNames) {
            guard let nearest = lineage.first(where: { $0.fields[property] != nil || $0.functions[property] != nil }) else {
                if let wholeFunction { functions[column] = { wholeFunction(property, $0, $1, $2) } }
                continue
            }
            functions[column] = nearest.functions[property]
            if functions[column] == nil { columns[column] = nearest.fields[property] }
        }
        let deletions = lineage.lazy.compactMap(\.deletions).first ?? .deleteWins
        return MergeRules(whole: whole, columns: columns, functions: functions, deletions: deletions)
    }
}

/// What holds for the rows of one entity, by column.
struct MergeRules {
    /// Where nothing is said of the field, and for fields that the schema no longer has.
    let whole: ConflictPolicy
    let columns: [Int: ConflictPolicy]
    /// The program's own rules.
    let functions: [Int: MergeFunction]
    /// Against an edit.
    let deletions: DeletionPolicy

    init(
        whole: ConflictPolicy, columns: [Int: ConflictPolicy] = [:], functions: [Int: MergeFunction] = [:], deletions: DeletionPolicy = .deleteWins
    ) {
        self.whole = whole
        self.deletions = deletions
        self.columns = columns
        self.functions = functions
    }

    /// Columns whose values are added up.
    var counters: Set<Int> { Set(columns.filter { $0.value == .counter }.keys) }

    /// The policy of one field.
    subscript(column: Int) -> ConflictPolicy { columns[column] ?? whole }
}
