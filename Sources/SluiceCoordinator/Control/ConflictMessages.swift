import SluiceSchema
import SluiceStore

/// What merges decided, some at a time, the newest first.
package struct ConflictsResponse: Codable, Sendable {
    package var conflicts: [Conflict]
    /// Where the next question goes on; nil at the end.
    package var position: Int64?

    package struct Conflict: Codable, Sendable {
        package var position: Int64
        /// Milliseconds since 1970.
        package var time: Int64
        package var name: String
        package var entity: String
        /// `field`, `deletion` or `unique` (`SyncConflict.Kind`).
        package var kind: String
        /// Whose word stands: `service`, `device` or `both`.
        package var outcome: String
        package var property: String?
        /// The record that this one became part of.
        package var heir: String?
        package var here: String?
        package var there: String?

        init(_ noted: NotedConflict) {
            let conflict = noted.conflict
            (position, time, name, entity) = (noted.number, noted.time, conflict.name.text, conflict.entity)
            (kind, outcome, property) = (conflict.kind.rawValue, conflict.outcome.rawValue, conflict.property)
            (heir, here, there) = (conflict.heir?.text, conflict.here, conflict.there)
        }
    }
}
