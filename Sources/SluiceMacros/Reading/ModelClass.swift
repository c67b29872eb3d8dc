internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A class with `@Model`, as its declaration says it.
struct ModelClass {
    let declaration: ClassDeclSyntax
    let members: ClassMembers
    /// Every `var` and `let` of the body, in order.
    let variables: [StoredVariable]
    /// What goes to the store, in order: a property's place here is its index in the class.
    let properties: [PersistedProperty]

    init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
        self.declaration = declaration
        members = ClassMembers(declaration.memberBlock, in: context)
        variables = members.declarations.compactMap { $0.as(VariableDeclSyntax.self) }.map(StoredVariable.init)
        properties = variables.filter { $0.variable.bindings.count == 1 }.compactMap(PersistedProperty.init)
    }

    /// The plain name: it resolves wherever the class is nested, and inside its own body.
    var name: String { declaration.name.trimmed.text }
    var access: AccessLevel { AccessLevel(declaration.modifiers) }
    var isFinal: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }

    /// Whether the class says that it is a global actor's. The runtime's members are not: contexts of other actors read rows and schemas.
    /// What a global actor is, only the compiler knows; by custom its name ends so.
    var isOfGlobalActor: Bool {
        declaration.attributes.contains { element in
            guard let name = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription else { return false }
            return name.hasSuffix("Actor") && name != "ModelActor"
        }
    }

    /// The first inherited type. It is the superclass if there is one: Swift wants it first.
    var firstInheritedType: String? { declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription }

    /// Whether a designated initialiser is written in the body.
    var hasDesignatedInitializer: Bool {
        members.declarations.contains { declaration in
            guard let initializer = declaration.as(InitializerDeclSyntax.self) else { return false }
            return !initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
        }
    }

    /// The place of a property among the class's own.
    func index(of name: String) -> Int? { properties.firstIndex { $0.name.plainText == name } }

    /// `#Index` or `#Unique` in the body.
    func freestandingMacros(named name: String) -> [MacroExpansionDeclSyntax] {
        members.declarations.compactMap { $0.as(MacroExpansionDeclSyntax.self) }.filter { $0.macroName.text == name }
    }

    /// Whether instances need the number of inherited properties at run time: anything that could be a superclass is named.
    ///
    /// The macro that writes the accessors is not told whether the class inherits from a model; it sees this clause only.
    static func countsFromBase(_ declaration: ClassDeclSyntax) -> Bool { declaration.inheritanceClause != nil }
}
