internal import SwiftSyntax

/// Writes `self.name` for `name`, as long as that name means the property everywhere in the code.
///
/// In the setter of `name` the compiler warns of an assignment to it that does not say `self`.
final class SelfQualification: SyntaxRewriter {
    private let name: TokenSyntax

    private init(_ name: TokenSyntax) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    static func of(_ name: TokenSyntax, in statements: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
        if LocalNames.of(statements).contains(name.plainText) { return statements }
        return SelfQualification(name).rewrite(statements).as(CodeBlockItemListSyntax.self) ?? statements
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        guard node.baseName.plainText == name.plainText, node.argumentNames == nil, !node.isMemberName else { return ExprSyntax(node) }
        let member = MemberAccessExprSyntax(
            base: DeclReferenceExprSyntax(baseName: .keyword(.self)), declName: DeclReferenceExprSyntax(baseName: name.trimmed))
        return ExprSyntax(member.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia))
    }
}

extension DeclReferenceExprSyntax {
    /// Behind a dot or in a key path, where the name is a member of something else.
    fileprivate var isMemberName: Bool {
        if let access = parent?.as(MemberAccessExprSyntax.self) { return access.declName.id == id }
        return parent?.is(KeyPathPropertyComponentSyntax.self) ?? false
    }
}

/// The names that code declares for itself: variables, parameters, functions.
private final class LocalNames: SyntaxVisitor {
    private var names: Set<String> = []

    static func of(_ statements: CodeBlockItemListSyntax) -> Set<String> {
        let visitor = LocalNames(viewMode: .sourceAccurate)
        visitor.walk(statements)
        return visitor.names
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind { add(node.identifier) }
    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind { add(node.name) }
    override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind { add(node.secondName ?? node.firstName) }
    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind { add(node.name) }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { add(node.secondName ?? node.firstName) }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { add(node.name) }

    private func add(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
        names.insert(name.plainText)
        return .visitChildren
    }
}
