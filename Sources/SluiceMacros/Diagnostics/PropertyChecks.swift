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
            let fixIt = FixIt.removing(variable.attributes.attribute(named: macro) ?? node, named: macro)
            context.report(.noEffect(macro: macro, kind: kind, name: name), at: node, fixIts: [fixIt])
        } else if macro == "Relationship", let other = variable.attributes.attribute(named: "Attribute") {
            let this = variable.attributes.attribute(named: macro) ?? node
            let fixIts = [FixIt.removing(other, named: "Attribute"), .removing(this, named: macro)]
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
            let fixIts: [FixIt?] = [.givingDefault(binding), .makingOptional(binding)]
            context.report(.transientNeedsDefault(name), at: binding, fixIts: fixIts.compactMap(\.self))
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
    /// Takes an attribute out, with the space behind it.
    static func removing(_ attribute: AttributeSyntax, named name: String) -> FixIt {
        var changes: [Change] = [.replace(oldNode: Syntax(attribute), newNode: Syntax(AttributeListSyntax([])))]
        if let last = attribute.lastToken(viewMode: .sourceAccurate) { changes.append(.replaceTrailingTrivia(token: last, newTrivia: [])) }
        return FixIt(message: MacroFixIt("Remove '@\(name)'", id: "remove\(name)"), changes: changes)
    }

    static func givingDefault(_ binding: PatternBindingSyntax) -> FixIt {
        let clause = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
            value: EditorPlaceholderExprSyntax(placeholder: .identifier("<#default value#>")))
        return .replacing("Add a default value", id: "addDefault", binding, with: binding.trimmed.with(\.initializer, clause))
    }

    static func makingOptional(_ binding: PatternBindingSyntax) -> FixIt? {
        guard let type = binding.typeAnnotation?.type else { return nil }
        let new = TypeSyntax("\(raw: type.trimmed.spelledAsOptional)")
        return .replacing("Make the property optional", id: "makeOptional", type, with: new)
    }
}
