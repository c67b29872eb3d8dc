/// Where identifiers come from: one store and one entity. A store makes one per entity, and all its identifiers refer to it, so that an
/// identifier is as cheap as its row's key.
package final class IdentifierOrigin: Sendable {
    /// nil for models that are in no store yet.
    package let storeIdentifier: String?
    /// The concrete entity, as far as it is known: a reference read from a column knows only what it was declared as.
    package let entityName: String
    /// The root of the entity's hierarchy, in whose table the key counts.
    package let rootEntityName: String

    package init(storeIdentifier: String?, entityName: String, rootEntityName: String? = nil) {
        self.storeIdentifier = storeIdentifier
        self.entityName = entityName
        self.rootEntityName = rootEntityName ?? entityName
    }

    /// Whether equal keys name one row. Somebody who made an identifier by hand may not have known the root.
    func sharesKeys(with other: IdentifierOrigin) -> Bool {
        self === other
            || (storeIdentifier == other.storeIdentifier
                && (rootEntityName == other.rootEntityName || entityName == other.entityName))
    }
}
