internal import SwiftSyntax

/// A `var` or `let` in a class body, and what `@Model` makes of it.
struct StoredVariable {
    enum Persistence {
        /// Computed, static, lazy, `@Transient`, or one of the peers that SwiftData's accessors need.
        case none
        /// `@Model` gives it accessors.
        case byMacro
        /// It has accessors like the macro's already.
        case byHand
    }

    let variable: VariableDeclSyntax

    /// nil for a pattern such as `(a, b)`.
    var name: TokenSyntax? { variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed }

    var isTypeMember: Bool { variable.modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) } }
    var isLazy: Bool { variable.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) } }
    var isTransient: Bool { variable.attributes.attribute(named: "Transient") != nil }
    var isComputed: Bool { variable.bindings.contains { $0.accessorBlock?.isComputed ?? false } }
    /// Stored per instance, `@Transient` or not.
    var isStoredInInstances: Bool { !isTypeMember && !isComputed }

    var persistence: Persistence {
        guard !isTypeMember, !isLazy, !isTransient, !isPeer else { return .none }
        if let name, variable.bindings.contains(where: { $0.accessorBlock?.initializes("_" + name.plainText) ?? false }) { return .byHand }
        return isComputed ? .none : .byMacro
    }

    /// `private var _name: _SwiftDataNoType`, written beside accessors written by hand.
    var isPeer: Bool {
        variable.bindings.allSatisfy { binding in
            binding.typeAnnotation?.type.mentions("_SwiftDataNoType") ?? binding.initializer?.value.mentions("_SwiftDataNoType") ?? false
        }
    }
}

extension ExprSyntax {
    fileprivate func mentions(_ name: String) -> Bool { tokens(viewMode: .sourceAccurate).contains { $0.text == name } }
}

extension AccessorBlockSyntax {
    /// Whether there is more than observers.
    var isComputed: Bool {
        // A getter may be written without a word in front of it.
        guard case .accessors(let list) = accessors else { return true }
        return list.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }

    /// Whether one of them is an init accessor that fills the model's storage for the property whose peer this is. Such accessors exist for
    /// computed properties too, which set other properties.
    func initializes(_ peer: String) -> Bool {
        guard case .accessors(let list) = accessors else { return false }
        return list.contains { accessor in
            guard accessor.accessorSpecifier.tokenKind == .keyword(.`init`),
                let restrictions = accessor.attributes.attribute(named: "storageRestrictions")
            else { return false }
            let names = restrictions.arguments?.tokens(viewMode: .sourceAccurate).map(\.text) ?? []
            return names.contains("_$backingData") && names.contains(peer)
        }
    }

    func observer(_ keyword: Keyword) -> AccessorDeclSyntax? {
        guard case .accessors(let list) = accessors else { return nil }
        return list.first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
    }
}
