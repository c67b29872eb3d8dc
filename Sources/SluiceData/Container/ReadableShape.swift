import SluiceSchema

/// Whether a store that is only read holds what the classes declare. It may hold more; what they share must be of one type, as a value of another
/// type would read as a default.
struct ReadableShape {
    private let held: SluiceSchema.Schema
    private let configuration: ModelConfiguration

    init(_ held: SluiceSchema.Schema, _ configuration: ModelConfiguration) {
        self.held = held
        self.configuration = configuration
    }

    /// - Throws: `SwiftDataError.migrationRequired`, naming entity and property.
    func check(_ wanted: SluiceSchema.Schema) throws(SwiftDataError) {
        for entity in wanted.entities {
            guard let other = held.entity(named: entity.name) else { throw SwiftDataError.lacks("entity \(entity.name)", configuration) }
            let attributes = held.attributes(of: other)
            for attribute in entity.attributes {
                let name = "\(entity.name).\(attribute.name)"
                guard let found = attributes.first(where: { $0.name == attribute.name }) else {
                    throw SwiftDataError.lacks("property \(name)", configuration)
                }
                if found.type != attribute.type {
                    throw SwiftDataError.differs(name, "holds \(found.type)", "\(attribute.type)", configuration)
                }
                if found.isOptional, !attribute.isOptional {
                    throw SwiftDataError.differs(name, "is optional", "with a value in every row", configuration)
                }
            }
            try check(entity.relationships, among: held.relationships(of: other), of: entity.name)
        }
    }

    private func check(_ wanted: [Relationship], among held: [Relationship], of entity: String) throws(SwiftDataError) {
        for relationship in wanted {
            let name = "\(entity).\(relationship.name)"
            guard let found = held.first(where: { $0.name == relationship.name }) else {
                throw SwiftDataError.lacks("property \(name)", configuration)
            }
            guard found.destination == relationship.destination, found.isToMany == relationship.isToMany else {
                func words(_ end: Relationship) -> String { "to \(end.isToMany ? "many " : "one ")\(end.destination)" }
                throw SwiftDataError.differs(name, "leads \(words(found))", words(relationship), configuration)
            }
        }
    }
}

extension SwiftDataError {
    fileprivate static func differs(
        _ property: String, _ found: String, _ wanted: String, _ configuration: ModelConfiguration
    ) -> SwiftDataError {
        migrationRequired.because(
            "in the store of configuration \(configuration.name) \(property) \(found), and this program declares it \(wanted): "
                + "the program that owns the store must migrate it, or this one must follow")
    }
}
