extension Schema {
    /// What a model class says about one of its properties; `@Model` writes a list of them.
    public struct PropertyMetadata {
        package let name: String
        package let keypath: AnyKeyPath
        /// The value of the property's initialiser expression, evaluated when the list was made.
        package let defaultValue: Any?
        package let metadata: (any SchemaProperty)?

        /// What `@Model` says of one property.
        public init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}
