/// What a property is called in the store.
///
/// A store keeps names that begin with an underscore to itself, and a service's fields begin with a letter, while model classes commonly have a
/// `_name` behind a computed `name`. The underscores move to the end, so that the name is free of both and never depends on the class's other
/// properties.
enum StoredName {
    static func of(_ property: String) -> String {
        let rest = property.drop { $0 == "_" }
        return rest.isEmpty ? property : "\(rest)\(property.prefix(property.count - rest.count))"
    }
}

extension ModelProperty {
    /// The name of its column, or of its relationship.
    package var storedName: String { StoredName.of(name) }
}
