extension Schema {
    /// This schema with other identities for some of its entities, by name. Those that it does not have are left alone.
    /// - Throws: `SchemaError` where an identity does not fit its entity.
    package func identified(by identities: [String: [String]]) throws(SchemaError) -> Schema {
        guard !identities.isEmpty else { return self }
        var changed = entities
        for index in changed.indices {
            if let identity = identities[changed[index].name] { changed[index].identity = identity }
        }
        return try Schema(name: name, version: version, validating: changed)
    }
}
