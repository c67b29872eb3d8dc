internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension MacroExpansionContext {
    /// The same for an enumeration, from where the macro makes extensions: the compiler does not always ask for an enumeration's members.
    func reportWrongEnumeration(of macro: String, at node: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        guard declaration.is(EnumDeclSyntax.self) else { return }
        report(.wrongDeclaration(macro: macro, kind: "enumeration", name: declaration.declaredName), at: node)
    }

    /// Says that a macro is on the wrong kind of type, and offers the right keyword where a change of keyword may do.
    func reportWrongDeclaration(of macro: String, at node: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        if declaration.is(EnumDeclSyntax.self) { return }
        let wanted = macro == "ModelActor" ? "actor" : "class"
        let (kind, keyword) = declaration.kindInWords
        var fixIts: [FixIt] = []
        if let keyword, [.keyword(.struct), .keyword(.actor), .keyword(.class)].contains(keyword.tokenKind) {
            let new = keyword.with(\.tokenKind, .keyword(wanted == "actor" ? .actor : .class))
            fixIts.append(.replacing("Change '\(keyword.text)' to '\(wanted)'", id: "changeKeyword", keyword, with: new))
        }
        report(.wrongDeclaration(macro: macro, kind: kind, name: declaration.declaredName), at: node, fixIts: fixIts)
    }
}

extension DeclGroupSyntax {
    fileprivate var kindInWords: (String, TokenSyntax?) {
        if let declaration = self.as(ClassDeclSyntax.self) { return ("class", declaration.classKeyword) }
        if let declaration = self.as(StructDeclSyntax.self) { return ("struct", declaration.structKeyword) }
        if let declaration = self.as(ActorDeclSyntax.self) { return ("actor", declaration.actorKeyword) }
        if self.is(ProtocolDeclSyntax.self) { return ("protocol", nil) }
        return ("extended", nil)
    }

    fileprivate var declaredName: String {
        if let named = self.asProtocol((any NamedDeclSyntax).self) { return named.name.plainText }
        return self.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription ?? ""
    }
}
