internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@ModelActor`: an executor, a container, and the initialiser that makes both from a container.
struct PersistentModelActorMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let actor = declaration.as(ActorDeclSyntax.self) else {
            context.reportWrongDeclaration(of: "ModelActor", at: node, declaration)
            return []
        }
        let access = AccessLevel(actor.modifiers).modifier
        var members: [DeclSyntax] = [
            "\(raw: access)nonisolated let modelExecutor: any SluiceData.ModelExecutor",
            "\(raw: access)nonisolated let modelContainer: SluiceData.ModelContainer",
        ]
        if !writesItsOwnInitializer(actor) {
            members.append(
                """
                \(raw: access)init(modelContainer: SluiceData.ModelContainer) {
                    let modelContext = SluiceData.ModelContext(modelContainer)
                    self.modelExecutor = SluiceData.DefaultSerialModelExecutor(modelContext: modelContext)
                    self.modelContainer = modelContainer
                }
                """)
        }
        return members
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ActorDeclSyntax.self) else {
            context.reportWrongEnumeration(of: "ModelActor", at: node, declaration)
            return []
        }
        guard !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): SluiceData.ModelActor {\n}")]
    }

    /// Whether the usual initialiser is there already, or could not initialise what the actor stores besides. SwiftData makes it
    /// regardless, and the compiler then refuses it.
    private static func writesItsOwnInitializer(_ actor: ActorDeclSyntax) -> Bool {
        let members = actor.memberBlock.members.map(\.decl)
        let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
        let labels = initializers.map { $0.signature.parameterClause.parameters.map(\.firstName.text) }
        if labels.contains(["modelContainer"]) { return true }
        let variables = members.compactMap { $0.as(VariableDeclSyntax.self) }.map(StoredVariable.init)
        return !initializers.isEmpty && !variables.allSatisfy(\.isInitializedWithoutHelp)
    }
}
