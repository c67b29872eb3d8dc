internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The declarations of a class body that are compiled, those in the active branches of `#if` among them.
struct ClassMembers {
    private(set) var declarations: [DeclSyntax] = []
    /// Conditions that nobody told this plug-in about: what they enclose is not in `declarations`.
    private(set) var unresolved: [IfConfigDeclSyntax] = []

    init(_ block: MemberBlockSyntax, in context: some MacroExpansionContext) {
        collect(block.members, context.buildConfiguration)
    }

    private mutating func collect(_ members: MemberBlockItemListSyntax, _ configuration: (any BuildConfiguration)?) {
        for member in members {
            guard let condition = member.decl.as(IfConfigDeclSyntax.self) else {
                declarations.append(member.decl)
                continue
            }
            guard let configuration else {
                unresolved.append(condition)
                continue
            }
            if case .decls(let enclosed)? = condition.activeClause(in: configuration).clause?.elements {
                collect(enclosed, configuration)
            }
        }
    }
}
