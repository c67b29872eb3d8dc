internal import SwiftSyntax

/// One stored property that goes to the store: an attribute or a relationship of the entity.
struct PersistedProperty {
    /// How its value gets into a column, where its type alone does not say it.
    enum Coding {
        case byType
        /// `@Attribute(.transformable(by: …))`
        case transformable
        /// `@Attribute(.codable)`
        case codable
    }

    /// As it is written, with backticks if it has them.
    let name: TokenSyntax
    let variable: VariableDeclSyntax
    /// The type as it is written; nil where the default value says it.
    let type: TypeSyntax?
    let defaultValue: ExprSyntax?
    /// `@Attribute(…)` or `@Relationship(…)`.
    let schemaAttribute: AttributeSyntax?
    /// The user wrote init, get and set in SwiftData's style; the property needs a slot and an entry in the metadata, and no accessors.
    let hasHandWrittenAccessors: Bool

    init?(_ stored: StoredVariable) {
        guard stored.persistence != .none, let binding = stored.variable.bindings.first, let name = stored.name else { return nil }
        self.name = name
        variable = stored.variable
        type = binding.typeAnnotation?.type.trimmed
        defaultValue = binding.initializer?.value.trimmed
        schemaAttribute = variable.attributes.attribute(named: "Attribute") ?? variable.attributes.attribute(named: "Relationship")
        hasHandWrittenAccessors = stored.persistence == .byHand
    }

    /// Whether `willSet` or `didSet` is there.
    var isObserved: Bool {
        guard !hasHandWrittenAccessors, let accessors = variable.bindings.first?.accessorBlock else { return false }
        return accessors.observer(.willSet) != nil || accessors.observer(.didSet) != nil
    }

    /// `@available(…, deprecated …)`
    var isDeprecated: Bool {
        variable.attributes.contains { element in
            guard let attribute = element.as(AttributeSyntax.self), attribute.plainName == "available" else { return false }
            return attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" } ?? false
        }
    }

    /// Whether every initialiser has to give the property its first value: its peer then has none of its own, so that the compiler asks for one
    /// and lets the init accessor take it.
    var isInitializedByHand: Bool { !hasHandWrittenAccessors && (isConstant || (defaultValue == nil && !isOptional)) }

    var isConstant: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }
    var access: AccessLevel { AccessLevel(variable.modifiers) }

    var coding: Coding {
        guard let schemaAttribute, schemaAttribute.plainName == "Attribute" else { return .byType }
        let names = schemaAttribute.options.map(Self.optionName)
        if names.contains("transformable") { return .transformable }
        return names.contains("codable") ? .codable : .byType
    }

    /// `codable` for `.codable`, `transformable` for `.transformable(by: …)`, with or without a type in front.
    private static func optionName(_ option: ExprSyntax) -> String? {
        let callee = option.as(FunctionCallExprSyntax.self)?.calledExpression ?? option
        return callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }

    /// The variable that stands for the property where the compiler checks that initialisers set everything: `_name`.
    var peerName: String {
        let plain = "_" + name.plainText
        let needsBackticks = plain.utf8.contains { byte in
            // A raw identifier: backticks may hold spaces and signs.
            byte < 0x80 && !(byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || Character(UnicodeScalar(byte)).isLetter
                || Character(UnicodeScalar(byte)).isNumber)
        }
        return needsBackticks ? "`\(plain)`" : plain
    }

    /// nil needs no default value to be written.
    var isOptional: Bool { type.map { $0.isOptional } ?? false }
}

extension TypeSyntax {
    /// Written `T?`, `T!` or `Optional<T>`.
    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
        return self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    /// The type as an expression or a nested type can name it: `T!` may stand at the end of a declaration only and is `T?` elsewhere.
    var spelledWithoutBang: String {
        guard let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmedDescription }
        return "\(unwrapped.wrappedType.trimmedDescription)?"
    }

    /// The optional of this type.
    var spelledAsOptional: String {
        let spelled = spelledWithoutBang
        switch kind {
        case .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType, .implicitlyUnwrappedOptionalType, .tupleType:
            return "\(spelled)?"
        default:
            return "(\(spelled))?"
        }
    }

    /// Whether the type, or a part of it, is written with this name and nothing in front of it.
    func mentions(_ name: String) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            token.plainText == name && token.previousToken(viewMode: .sourceAccurate)?.tokenKind != .period
        }
    }
}
