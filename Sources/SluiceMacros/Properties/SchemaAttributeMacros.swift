internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Attribute`: `@Model` reads it; alone it makes nothing.
struct AttributePropertyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyChecks(node, declaration, context).checkSchemaAttribute("Attribute")
        return []
    }
}

/// `@Relationship`: `@Model` reads it; alone it makes nothing.
struct RelationshipPropertyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyChecks(node, declaration, context).checkSchemaAttribute("Relationship")
        return []
    }
}

/// `@Transient`: `@Model` leaves the property alone.
struct TransientPropertyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyChecks(node, declaration, context).checkTransient()
        return []
    }
}
