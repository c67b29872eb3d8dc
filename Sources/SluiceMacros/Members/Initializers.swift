internal import SwiftSyntax

// Which initialisers a class gets. A class with one of its own gets the two that the runtime calls; a class without gets one for its users
// too, where there is only one way to write it.

extension ModelExpansion {
    /// Whether the class can inherit every initialiser of its superclass, the runtime's two among them. One more of its own would end that.
    var inheritsInitializers: Bool {
        !isRoot && !model.hasDesignatedInitializer && model.variables.allSatisfy { $0.isTypeMember || $0.isInitialized }
    }

    /// Whether nobody can say how the class should be initialised.
    var lacksInitializer: Bool {
        guard !model.hasDesignatedInitializer, !inheritsInitializers else { return false }
        return !isRoot || SynthesisedInitializer(model) == nil
    }

    var initializers: [DeclSyntax] {
        if inheritsInitializers { return [] }
        guard isRoot, !model.hasDesignatedInitializer, let synthesised = SynthesisedInitializer(model) else { return requiredInitializers }
        return [synthesised.declaration] + requiredInitializers
    }
}

extension StoredVariable {
    /// Initialised by its default value or an implicit nil, whether persisted or not.
    fileprivate var isInitialized: Bool {
        persistence == .byHand ? variable.bindings.allSatisfy { $0.typeAnnotation?.type.isOptional ?? false } : isInitializedWithoutHelp
    }
}
