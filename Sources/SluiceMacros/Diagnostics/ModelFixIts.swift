internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension FixIt {
    /// `var a = 1, b = 2` becomes two declarations.
    static func splitting(_ variable: VariableDeclSyntax) -> FixIt {
        let indentation = variable.indentation ?? []
        var type: TypeAnnotationSyntax?
        var declarations: [VariableDeclSyntax] = []
        for binding in variable.bindings.reversed() {
            // In `var a, b: Int` the type is said once, at the last name.
            if binding.typeAnnotation != nil || binding.initializer != nil { type = binding.typeAnnotation }
            var alone = binding.with(\.trailingComma, nil)
            if binding.initializer == nil, binding.typeAnnotation == nil, let type {
                alone = alone.with(\.pattern, alone.pattern.trimmed).with(\.typeAnnotation, type.trimmed)
            }
            alone = alone.with(\.leadingTrivia, []).with(\.trailingTrivia, [])
            var declaration = variable.with(\.bindings, [alone])
            if declarations.count < variable.bindings.count - 1 {
                declaration = declaration.with(\.leadingTrivia, .newline + indentation)
            }
            declarations.insert(declaration, at: 0)
        }
        let members = MemberBlockItemListSyntax(declarations.map { MemberBlockItemSyntax(decl: $0) })
        return .replacing("Split into declarations of one property each", id: "split", variable, with: members)
    }

    /// `let id: UUID` becomes `private(set) var id: UUID`.
    static func makingVariable(_ variable: VariableDeclSyntax) -> FixIt {
        let specifier = variable.bindingSpecifier
        let narrow = DeclModifierSyntax(name: .keyword(.private), detail: DeclModifierDetailSyntax(detail: .identifier("set")))
            .with(\.leadingTrivia, specifier.leadingTrivia).with(\.trailingTrivia, .space)
        let new = variable.with(\.modifiers, variable.modifiers + [narrow])
            .with(\.bindingSpecifier, .keyword(.var, trailingTrivia: specifier.trailingTrivia))
        return .replacing("Replace 'let' with 'private(set) var'", id: "makeVariable", variable, with: new)
    }

    /// An initialiser that sets whatever has no default value, as the last member.
    static func insertingInitializer(into model: ModelClass, _ role: ModelRole) -> FixIt {
        let indentation = model.declaration.memberBlock.members.first?.decl.indentation ?? .spaces(4)
        let needed = model.variables.filter { $0.isStoredInInstances && !$0.isInitializedWithoutHelp }.flatMap(\.variable.bindings)
        let parameters = needed.map { "\($0.pattern.trimmedDescription)\($0.typeAnnotation?.trimmedDescription ?? ": <#type#>")" }
        var statements = needed.map { "self.\($0.pattern.trimmedDescription) = \($0.pattern.trimmedDescription)" }
        if role != .root { statements.append("super.init(<#arguments#>)") }
        let inner = "\n\(indentation)\(indentation)"
        let text = "init(\(parameters.joined(separator: ", "))) {" + statements.map { inner + $0 }.joined() + "\n\(indentation)}"
        let declaration = DeclSyntax(stringLiteral: text).with(\.leadingTrivia, .newlines(2) + indentation)
        let brace = model.declaration.memberBlock.rightBrace
        let member = MemberBlockItemSyntax(decl: declaration)
        let block = model.declaration.memberBlock
        return .replacing(
            "Add an initializer", id: "addInitializer", block,
            with: block.with(\.members, block.members + [member]).with(\.rightBrace, brace.ensuringNewline))
    }
}

extension SyntaxProtocol {
    /// The whitespace between the start of its line and the node; nil for a node behind others on its line.
    fileprivate var indentation: Trivia? {
        guard leadingTrivia.contains(where: \.isNewline) else { return nil }
        return Trivia(pieces: leadingTrivia.pieces.reversed().prefix { !$0.isNewline }.filter(\.isSpaceOrTab).reversed())
    }
}

extension TokenSyntax {
    fileprivate var ensuringNewline: TokenSyntax {
        leadingTrivia.contains { $0.isNewline } ? self : with(\.leadingTrivia, .newline)
    }
}
