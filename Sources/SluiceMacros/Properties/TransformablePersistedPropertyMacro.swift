internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The same accessors for a property whose value a transformer turns into bytes: the storage holds the value itself, and only the row
/// coding of the class differs. SwiftData has a macro of this name, and its expansions show it.
struct TransformablePersistedPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        try PersistedPropertyMacro.expansion(of: node, providingAccessorsOf: declaration, in: context)
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try PersistedPropertyMacro.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}
