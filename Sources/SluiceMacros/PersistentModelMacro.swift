internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Model`: storage, metadata, row coding and observation for a class, and an attribute on each property that is stored.
struct PersistentModelMacro {
    private static let protocolName = "PersistentModel"

    /// Whether the compiler asks for the conformance, or the user wrote it. It asks for none where the superclass conforms.
    private static func role(_ declaration: ClassDeclSyntax, _ protocols: [TypeSyntax]) -> ModelRole {
        let written = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        let conforms = (protocols + written).contains { $0.trimmedDescription.split(separator: ".").last.map(String.init) == protocolName }
        guard !conforms, let superclass = written.first else { return .root }
        return .subclass(of: superclass.trimmedDescription)
    }
}

extension PersistentModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            context.reportWrongDeclaration(of: "Model", at: node, declaration)
            return []
        }
        let model = ModelClass(declaration, in: context)
        let role = role(declaration, protocols)
        let expansion = ModelExpansion(model: model, role: role, originalName: node.argument(labelled: "originalName"))
        ModelChecks(expansion, node, context).run()
        return expansion.members
    }
}

extension PersistentModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let declaration = declaration.as(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            variable.bindings.count == 1, let property = PersistedProperty(StoredVariable(variable: variable)),
            !property.hasHandWrittenAccessors,
            let index = ModelClass(declaration, in: context).index(of: property.name.plainText)
        else { return [] }
        let macro = property.coding == .transformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
        return ["@\(raw: macro)(at: \(raw: index))"]
    }
}

extension PersistentModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else {
            context.reportWrongEnumeration(of: "Model", at: node, declaration)
            return []
        }
        let wanted = Set(protocols.compactMap { $0.trimmedDescription.split(separator: ".").last.map(String.init) })
        var extensions: [ExtensionDeclSyntax] = []
        if wanted.contains(protocolName) {
            // Observable comes with it. Beside it, it would crash the compiler on a subclass in the same module.
            extensions.append(try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated SluiceData.PersistentModel {\n}"))
        }
        if wanted.contains("Sendable") {
            let model = type.trimmedDescription
            let advice = "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(model)'s persistentModelID instead."
            extensions.append(
                try ExtensionDeclSyntax(
                    """
                    @available(*, unavailable, message: "\(raw: advice)")
                    extension \(type.trimmed): Sendable {
                    }
                    """))
        }
        return extensions
    }
}
