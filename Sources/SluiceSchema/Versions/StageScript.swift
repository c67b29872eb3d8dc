// A custom stage as a schema file says it: edits as SQL expressions, run inside the migration's transaction. Its two halves see one version
// each, as the two closures of a stage in a program do.

/// What is done to the rows between two versions.
package struct StageScript: Hashable, Sendable {
    /// Properties and entities that go for good, as `Item.oldName` and `Item`: without this word one that goes while another of its kind
    /// comes may have been renamed, and the step is refused.
    package var discarded: Set<String>
    /// Over the rows as the version before has them.
    package var before: [StageEdit]
    /// Over the rows as this version has them.
    package var after: [StageEdit]

    package init(discarded: Set<String> = [], before: [StageEdit] = [], after: [StageEdit] = []) {
        self.discarded = discarded
        self.before = before
        self.after = after
    }

    /// Whether rows are edited: then the stage may bring what could not be inferred.
    package var isCustom: Bool { !before.isEmpty || !after.isEmpty }
}

/// One statement over the rows of an entity, those of its subentities included.
package struct StageEdit: Hashable, Sendable {
    package var entity: String
    /// An SQL expression over one row's properties; nil: every row.
    package var condition: String?
    package var action: Action

    package enum Action: Hashable, Sendable {
        /// Every expression sees the row as it was before the edit.
        case set([Assignment])
        case delete
    }

    package struct Assignment: Hashable, Sendable {
        package var property: String
        /// An SQL expression over one row's properties.
        package var expression: String

        package init(_ property: String, _ expression: String) {
            self.property = property
            self.expression = expression
        }
    }

    package init(_ entity: String, where condition: String? = nil, _ action: Action) {
        self.entity = entity
        self.condition = condition
        self.action = action
    }
}
