internal import SwiftSyntax
internal import SwiftSyntaxBuilder

// What the schema is made from: one entry per property, then indices, then unique constraints.

extension ModelExpansion {
    var schemaMetadata: DeclSyntax {
        let entries = model.properties.map(entry) + constraints("Index") + constraints("Unique")
        let list = entries.isEmpty ? "[]" : "[\n" + entries.map { "        \($0)," }.joined(separator: "\n") + "\n    ]"
        // Key paths to deprecated properties would warn anywhere else. The framework reads the metadata through the protocol: no warning.
        let deprecation = model.properties.contains(where: \.isDeprecated) ? "@available(*, deprecated)\n" : ""
        return """
            \(raw: deprecation)\(raw: typeMember) var schemaMetadata: [SluiceData.Schema.PropertyMetadata] {
                \(raw: list)
            }
            """
    }

    var formerName: DeclSyntax {
        "\(raw: typeMember) var _$originalName: String? { \(raw: originalName?.trimmedDescription ?? "nil") }"
    }

    private func entry(_ property: PersistedProperty) -> String {
        let metadata = property.schemaAttribute.map { "SluiceData.Schema.\($0.plainName)(\($0.argumentText))" } ?? "nil"
        return ".init(name: \"\(property.name.plainText)\", keypath: \\\(model.name).\(property.name.text), "
            + "defaultValue: \(defaultValue(property)), metadata: \(metadata))"
    }

    /// The default with its type beside it: `.draft` says nothing where any value is expected.
    private func defaultValue(_ property: PersistedProperty) -> String {
        guard let value = property.defaultValue, !value.is(NilLiteralExprSyntax.self) else { return "nil" }
        guard let type = property.type else { return value.trimmedDescription }
        return "(\(value.trimmedDescription) as \(type.spelledWithoutBang))"
    }

    private func constraints(_ kind: String) -> [String] {
        model.freestandingMacros(named: kind).map { macro in
            let entity = macro.genericArgumentClause?.trimmedDescription ?? "<\(model.name)>"
            return ".init(name: \"SwiftData.Schema.\(kind)\", keypath: \\SluiceData.Schema.encodingVersion, defaultValue: nil, "
                + "metadata: SluiceData.Schema.\(kind)\(entity)(\(macro.arguments.trimmedDescription)))"
        }
    }
}
