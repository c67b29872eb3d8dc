internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Accessors that go to the model's storage, and the peer that the init accessor initialises. `@Model` puts it on properties.
struct PersistedPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = PersistedProperty(declaration), let index = node.argument(labelled: "at") else { return [] }
        let flags = ObserverFlags(at: index.trimmedDescription)
        return PropertyAccessors(property: property, index: place(index, context), flags: flags).all
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = PersistedProperty(declaration) else { return [] }
        return [PropertyAccessors(property: property, index: "").peer]
    }

    /// The property's place in the whole hierarchy: a number where the class cannot have a superclass.
    private static func place(_ index: ExprSyntax, _ context: some MacroExpansionContext) -> String {
        let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)
        let mayInherit = owner.map(ModelClass.countsFromBase) ?? false
        return mayInherit ? "Self._$base + \(index.trimmedDescription)" : index.trimmedDescription
    }
}

extension PersistedProperty {
    fileprivate init?(_ declaration: some DeclSyntaxProtocol) {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return nil }
        self.init(StoredVariable(variable: variable))
    }
}
