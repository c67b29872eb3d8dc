internal import SwiftSyntax

/// The place of a class in its hierarchy.
enum ModelRole: Equatable {
    case root
    case subclass(of: String)
}

/// Writes the members that `@Model` adds to one class.
struct ModelExpansion {
    let model: ModelClass
    let role: ModelRole
    /// From `@Model(originalName:)`.
    let originalName: ExprSyntax?

    var isRoot: Bool { role == .root }

    /// All of them, in the order in which they appear.
    var members: [DeclSyntax] {
        var members = slotTypes + [storage, backingData]
        if isRoot { members.append(persistentBackingData) }
        members += [schemaMetadata, formerName]
        members += initializers + forgetDefaults
        if isRoot { members += [state, observationRegistrar] }
        members += base + [decode, encode, visit, access, withMutation, emptyType]
        return members
    }

    /// `required ` where subclasses must have the initialiser too.
    var required: String { isRoot && model.isFinal ? "" : "required " }

    /// The modifiers of a class property or function: a final root needs no dispatch, a subclass overrides.
    var typeMember: String {
        guard isRoot else { return "override \(model.access.overridableModifier)class" }
        return model.isFinal ? "\(model.access.modifier)static" : "\(model.access.overridableModifier)class"
    }

    var overriding: String { isRoot ? model.access.overridableModifier : "override \(model.access.overridableModifier)" }
}
