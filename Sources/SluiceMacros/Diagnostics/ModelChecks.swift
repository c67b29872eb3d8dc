internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Looks for what `@Model` cannot do in a class, before people meet it as an error in code that they did not write.
struct ModelChecks<Context: MacroExpansionContext> {
    private let expansion: ModelExpansion
    private let node: AttributeSyntax
    private let context: Context

    init(_ expansion: ModelExpansion, _ node: AttributeSyntax, _ context: Context) {
        self.expansion = expansion
        self.node = node
        self.context = context
    }

    private var model: ModelClass { expansion.model }

    func run() {
        if let generics = model.declaration.genericParameterClause { context.report(.genericModel(model.name), at: generics) }
        model.members.unresolved.filter(\.matters).forEach { context.report(.conditional, at: $0) }
        model.variables.filter { $0.persistence == .byMacro }.forEach(check)
        guard expansion.lacksInitializer else { return }
        let fixIt = FixIt.insertingInitializer(into: model, expansion.role)
        context.report(.needsInitializer(model.declaration.name.plainText), at: node, fixIts: [fixIt])
    }

    private func check(_ stored: StoredVariable) {
        let variable = stored.variable
        if variable.bindings.contains(where: { !$0.pattern.is(IdentifierPatternSyntax.self) }) {
            context.report(.pattern, at: variable.bindings)
        } else if variable.bindings.count > 1 {
            context.report(.severalOnOneLine, at: variable.bindings, fixIts: [.splitting(variable)])
        } else if let property = PersistedProperty(stored), property.isConstantRefused(in: context) {
            context.report(.constant(property.name.plainText), at: variable.bindingSpecifier, fixIts: [.makingVariable(variable)])
        }
    }
}

extension PersistedProperty {
    /// The compiler gives a `let` no accessors in Swift 6 mode; in Swift 5 mode it warns. The warning is left to it.
    func isConstantRefused(in context: some MacroExpansionContext) -> Bool {
        guard isConstant, let version = context.buildConfiguration?.languageVersion.components.first else { return false }
        return version >= 6
    }
}

extension IfConfigDeclSyntax {
    /// Whether there is anything in it that `@Model` would have to know.
    fileprivate var matters: Bool {
        clauses.contains { clause in
            guard case .decls(let members)? = clause.elements else { return false }
            return members.contains { member in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) { return nested.matters }
                if let macro = member.decl.as(MacroExpansionDeclSyntax.self) { return ["Index", "Unique"].contains(macro.macroName.text) }
                if member.decl.is(InitializerDeclSyntax.self) { return true }
                return member.decl.as(VariableDeclSyntax.self).map { StoredVariable(variable: $0).persistence != .none } ?? false
            }
        }
    }
}
