/// What a legacy store's names become here, and what of it is left out. Read from a file; each word knows where it stands, because only the
/// legacy store can tell whether it means anything.
package struct LegacyMapping: Hashable, Sendable {
    /// A word of the file and its place, counted from 1 as editors do.
    package struct Word: Hashable, Sendable {
        package let text: String
        package let line: Int
        package let column: Int

        package init(_ text: String, line: Int = 1, column: Int = 1) {
            self.text = text
            self.line = line
            self.column = column
        }
    }

    package struct Property: Hashable, Sendable {
        /// The name in the legacy store.
        package var source: Word
        package var name: Word?
        /// Why it is left out.
        package var omission: Word?
        /// Values become values of this type.
        package var type: AttributeType?
        package var typeWord: Word?

        package init(_ source: Word, name: Word? = nil, omission: Word? = nil, type: AttributeType? = nil, typeWord: Word? = nil) {
            self.source = source
            self.name = name
            self.omission = omission
            self.type = type
            self.typeWord = typeWord
        }
    }

    package struct Entity: Hashable, Sendable {
        /// The name in the legacy store.
        package var source: Word
        package var name: Word?
        /// Why it is left out, with everything that inherits from it.
        package var omission: Word?
        /// A UUID attribute that names the records though the store does not say so; Core Data files only.
        package var identity: Word?
        /// By their names in the legacy store.
        package var properties: [String: Property]

        package init(
            _ source: Word, name: Word? = nil, omission: Word? = nil, identity: Word? = nil, properties: [String: Property] = [:]
        ) {
            self.source = source
            self.name = name
            self.omission = omission
            self.identity = identity
            self.properties = properties
        }
    }

    /// Where it was read from.
    package var file: String
    /// By their names in the legacy store.
    package var entities: [String: Entity]

    package init(file: String, entities: [String: Entity]) {
        self.file = file
        self.entities = entities
    }
}
