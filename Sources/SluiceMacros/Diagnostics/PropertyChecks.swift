internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Looks whether the attributes on one declaration make sense there.
struct PropertyChecks<Context: MacroExpansionContext> {
    private let node: AttributeSyntax
    private let declaration: DeclSyntax
    private let context: Context

    init(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, _ context: Context) {
        self.node = node
        self.declaration = DeclSyntax(declaration)
        self.context = context
    }

    private func variable(_ macro: String) -> VariableDeclSyntax? {
        if let variable = declaration.as(VariableDeclSyntax.self) { return variable }
        context.report(.notAProperty(macro: macro), at: node)
        return nil
    }

    func checkSchemaAttribute(_ macro: String) {
        guard let variable = variable(macro) else { return }
        let stored = StoredVariable(variable: variable)
        let name = stored.name?.plainText ?? ""
        if let kind = stored.kindWithoutSlot {
            let fixIt = FixIt.removing(node, named: macro, from: variable)
            context.report(.noEffect(macro: macro, kind: kind, name: name), at: node, fixIts: [fixIt])
        } else if macro == "Relationship", let other = variable.attributes.attribute(named: "Attribute") {
            let fixIts = [FixIt.removing(other, named: "Attribute", from: variable), .removing(node, named: "Relationship", from: variable)]
            context.report(.attributeAndRelationship(name), at: node, fixIts: fixIts)
        }
    }

    func checkTransient() {
        guard let variable = variable("Transient") else { return }
        let stored = StoredVariable(variable: variable)
        // On a computed or static property it says what is so anyway; much code has it there.
        guard stored.isStoredInInstances, !stored.isLazy, !stored.isPeer, !stored.isInitializedWithoutHelp else { return }
        for binding in variable.bindings where binding.initializer == nil && !(binding.typeAnnotation?.type.isOptional ?? false) {
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText ?? binding.pattern.trimmedDescription
            context.report(.transientNeedsDefault(name), at: binding, fixIts: [.givingDefault(binding), .makingOptional(binding)].compactMap(\.self))
        }
    }
}

extension StoredVariable {
    /// What keeps the property out of the store besides `@Transient`, in a word.
    fileprivate var kindWithoutSlot: String? {
        if isTypeMember { return "static" }
        if isLazy { return "lazy" }
        return isComputed && persistence != .byHand ? "computed" : nil
    }
}

extension FixIt {
    static func removing(_ attribute: AttributeSyntax, named name: String, from variable: VariableDeclSyntax) -> FixIt {
        let rest = variable.attributes.filter { $0.as(AttributeSyntax.self)?.id != attribute.id }
        let new = variable.with(\.attributes, rest).with(\.leadingTrivia, variable.leadingTrivia)
        return .replacing("Remove '@\(name)'", id: "removeAttribute", variable, with: new)
    }

    static func givingDefault(_ binding: PatternBindingSyntax) -> FixIt? {
        let new = binding.trimmed.with(\.initializer, InitializerClauseSyntax(equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
            value: EditorPlaceholderExprSyntax(placeholder: .identifier("<#default value#>"))))
        return .replacing("Add a default value", id: "addDefault", binding, with: new)
    }

    static func makingOptional(_ binding: PatternBindingSyntax) -> FixIt? {
        guard let type = binding.typeAnnotation?.type else { return nil }
        return .replacing("Make the property optional", id: "makeOptional", type, with: TypeSyntax("\(raw: type.trimmed.spelledAsOptional)"))
    }
}
