internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The memberwise initialiser of a class that has none: our superset of SwiftData, which refuses such a class.
struct SynthesisedInitializer {
    private struct Parameter {
        let name: TokenSyntax
        let type: String
        let defaultValue: String?

        /// A name that needs backticks would be in the way of `self` and of keywords in the body.
        private var isQuoted: Bool { name.text != name.plainText }
        private var innerName: String { isQuoted ? "_$\(name.plainText.filter { $0.isLetter || $0.isNumber })" : name.text }

        var declaration: String {
            let label = isQuoted ? "\(name.text) \(innerName)" : name.text
            return "\(label): \(type)" + (defaultValue.map { " = \($0)" } ?? "")
        }
        var assignment: String { "self.\(name.text) = \(innerName)" }
    }

    private var parameters: [Parameter] = []
    private var modifier = ""

    /// nil where a stored property has neither a default value nor a place among the parameters.
    init?(_ model: ModelClass) {
        let others = model.variables.filter { $0.isStoredInInstances && $0.persistence == .none }
        guard others.allSatisfy(\.isInitializedWithoutHelp) else { return nil }
        for property in model.properties {
            if property.keepsItsDefault { continue }
            guard let type = property.type?.spelledWithoutBang ?? property.literalType else { continue }
            narrow(for: property)
            let fallback = property.isOptional && !property.isConstant ? "nil" : nil
            let value = property.defaultValue?.trimmedDescription ?? fallback
            parameters.append(Parameter(name: property.name, type: type, defaultValue: value))
        }
    }

    /// An initialiser that sets a private property is no wider than the property, as the compiler's own is not.
    private mutating func narrow(for property: PersistedProperty) {
        guard property.isNarrow, modifier != "private " else { return }
        modifier = property.access == .private ? "private " : "fileprivate "
    }

    var declaration: DeclSyntax {
        let list = parameters.map(\.declaration).joined(separator: ", ")
        let body = parameters.map { "    \($0.assignment)" }.joined(separator: "\n")
        return "\(raw: modifier)init(\(raw: list)) {\n\(raw: body)\n}"
    }
}

extension PersistedProperty {
    fileprivate var isNarrow: Bool { access == .private || access == .fileprivate }

    /// Whether an initialiser may leave it alone and should: a constant has its value, a private property is nobody else's business.
    fileprivate var keepsItsDefault: Bool {
        if defaultValue != nil { return isConstant || isNarrow }
        return isNarrow && isOptional && !isConstant
    }

    /// The type of a default value that is a plain literal.
    fileprivate var literalType: String? {
        var value = defaultValue
        if let negated = value?.as(PrefixOperatorExprSyntax.self), negated.operator.text == "-" { value = negated.expression }
        switch value?.kind {
        case .integerLiteralExpr: return "Int"
        case .floatLiteralExpr: return "Double"
        case .stringLiteralExpr where value == defaultValue: return "String"
        case .booleanLiteralExpr where value == defaultValue: return "Bool"
        default: return nil
        }
    }
}

extension StoredVariable {
    /// Whether the compiler gives it a value where an initialiser gives it none.
    var isInitializedWithoutHelp: Bool {
        if isLazy || isTypeMember || isComputed { return true }
        return variable.bindings.allSatisfy { binding in
            if binding.initializer != nil { return true }
            let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
            return !isConstant && (binding.typeAnnotation?.type.isOptional ?? false)
        }
    }
}
