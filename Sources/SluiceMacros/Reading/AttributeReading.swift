internal import SwiftSyntax

extension AttributeListSyntax {
    /// The first attribute of that name, written alone or behind a module's name.
    func attribute(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.plainName == name }
    }
}

extension AttributeSyntax {
    /// The attribute's name without a module in front of it: `Attribute` for `@SwiftData.Attribute(.unique)`.
    var plainName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.plainText }
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.plainText }
        return attributeName.trimmedDescription
    }

    /// The arguments as they are written, without the parentheses.
    var argumentText: String { arguments?.trimmedDescription ?? "" }

    /// The arguments without a label.
    var options: [ExprSyntax] {
        guard case .argumentList(let list)? = arguments else { return [] }
        return list.filter { $0.label == nil }.map(\.expression)
    }

    func argument(labelled label: String) -> ExprSyntax? {
        guard case .argumentList(let list)? = arguments else { return nil }
        return list.first { $0.label?.text == label }?.expression
    }
}

extension TokenSyntax {
    /// The identifier without backticks: what a store or a diagnostic calls it.
    var plainText: String {
        guard text.count > 2, text.hasPrefix("`"), text.hasSuffix("`") else { return text }
        return String(text.dropFirst().dropLast())
    }
}
