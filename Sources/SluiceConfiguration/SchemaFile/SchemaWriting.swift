package import SluiceSchema

extension SchemaFile {
    /// The schema as the text of a file that `load` reads as the same schema. What has its default value is left out.
    package static func yaml(for schema: Schema) -> String {
        var writer = YAMLWriter()
        writer.line(0, "schema", .text(schema.name))
        writer.line(0, "version", .text(schema.version.description))
        writer.line(0, "entities", schema.entities.isEmpty ? .emptyMapping : .nothing)
        for entity in schema.entities { write(entity, to: &writer) }
        return writer.text
    }

    /// The same with what leads to the version.
    package static func yaml(for release: SchemaRelease) -> String {
        guard let stage = release.stage else { return yaml(for: release.schema) }
        var writer = YAMLWriter()
        writer.line(0, "migration", .nothing)
        if !stage.discarded.isEmpty { writer.line(1, "discard", .names(stage.discarded.sorted())) }
        for (key, edits) in [("before", stage.before), ("after", stage.after)] where !edits.isEmpty {
            writer.line(1, key, .nothing)
            for edit in edits { write(edit, to: &writer) }
        }
        return yaml(for: release.schema) + writer.text
    }

    private static func write(_ edit: StageEdit, to writer: inout YAMLWriter) {
        writer.line(2, "entity", .text(edit.entity), beginsItem: true)
        if let condition = edit.condition { writer.line(3, "where", .text(condition)) }
        switch edit.action {
        case .delete: writer.line(3, "delete", .flag)
        case .set(let assignments):
            writer.line(3, "set", assignments.isEmpty ? .emptyMapping : .nothing)
            for assignment in assignments { writer.line(4, assignment.property, .text(assignment.expression)) }
        }
    }

    private static func write(_ entity: Entity, to writer: inout YAMLWriter) {
        let isPlain = entity == Entity(entity.name)
        writer.line(1, entity.name, isPlain ? .emptyMapping : .nothing)
        if entity.wireName != entity.name { writer.line(2, "wireName", .text(entity.wireName)) }
        if let parent = entity.superentity { writer.line(2, "extends", .text(parent)) }
        if entity.isAbstract { writer.line(2, "abstract", .flag) }
        if entity.isLocalOnly { writer.line(2, "localOnly", .flag) }
        if !entity.identity.isEmpty { writer.line(2, "identity", .names(entity.identity)) }
        if !entity.uniqueness.isEmpty { writer.line(2, "unique", .sets(entity.uniqueness)) }
        if !entity.indices.isEmpty { writer.line(2, "index", .sets(entity.indices)) }
        if !entity.attributes.isEmpty { writer.line(2, "attributes", .nothing) }
        for attribute in entity.attributes { writer.line(3, attribute.name, .value(of: attribute)) }
        if !entity.relationships.isEmpty { writer.line(2, "relationships", .nothing) }
        for relationship in entity.relationships { writer.line(3, relationship.name, .value(of: relationship)) }
    }
}

extension YAMLWriter.Value {
    fileprivate static func value(of attribute: Attribute) -> YAMLWriter.Value {
        let short = Attribute(attribute.name, attribute.type, isOptional: attribute.isOptional)
        if attribute == short { return .text(attribute.type.rawValue + (attribute.isOptional ? "?" : "")) }
        var pairs: [(String, YAMLWriter.Value)] = [("type", .text(attribute.type.rawValue))]
        if attribute.isOptional { pairs.append(("optional", .flag)) }
        if let text = attribute.defaultValue?.defaultText { pairs.append(("default", .text(text))) }
        if attribute.isExternal { pairs.append(("external", .flag)) }
        if attribute.wireName != attribute.name { pairs.append(("wireName", .text(attribute.wireName))) }
        if attribute.isPreservedOnDeletion { pairs.append(("preserveOnDeletion", .flag)) }
        if let modifier = attribute.hashModifier { pairs.append(("hashModifier", .text(modifier))) }
        return .pairs(pairs)
    }

    fileprivate static func value(of relationship: Relationship) -> YAMLWriter.Value {
        var pairs: [(String, YAMLWriter.Value)] = [("to", .text(relationship.destination))]
        if relationship.isToMany { pairs.append(("toMany", .flag)) }
        if !relationship.isOptional { pairs.append(("optional", .text("false"))) }
        if relationship.isOrdered { pairs.append(("ordered", .flag)) }
        if let inverse = relationship.inverse { pairs.append(("inverse", .text(inverse))) }
        if relationship.deleteRule != .nullify { pairs.append(("deleteRule", .text(relationship.deleteRule.rawValue))) }
        if relationship.minimumCount != 0 { pairs.append(("minimum", .text("\(relationship.minimumCount)"))) }
        if relationship.maximumCount != 0 { pairs.append(("maximum", .text("\(relationship.maximumCount)"))) }
        if relationship.wireName != relationship.name { pairs.append(("wireName", .text(relationship.wireName))) }
        return .pairs(pairs)
    }
}
