internal import SwiftSyntax
internal import SwiftSyntaxBuilder

// Initialisers, state, rows and observation: what the runtime calls on an instance.

extension ModelExpansion {
    var persistentBackingData: DeclSyntax {
        """
        \(raw: nonisolated + model.access.modifier)var persistentBackingData: any SluiceData.BackingData<\(raw: model.name)> {
            get { _$backingData }
            set { _$backingData = SluiceData._storage(newValue) }
        }
        """
    }

    var requiredInitializers: [DeclSyntax] {
        let prefix = nonisolated + model.access.modifier + required
        switch role {
        case .root:
            return [
                """
                \(raw: prefix)init(backingData: any SluiceData.BackingData<\(raw: model.name)>) {
                    \(raw: peers)_$backingData = SluiceData._storage(backingData)
                }
                """,
                """
                \(raw: prefix)init(_$state state: SluiceData._ModelState) {
                    \(raw: peers)_$backingData = _$Storage()
                    _$backingData._$state = state\(raw: model.isFinal ? "" : "\n    _$forgetDefaults()")
                }
                """,
            ]
        case .subclass(let superclass):
            return [
                """
                \(raw: prefix)init(backingData: any SluiceData.BackingData<\(raw: superclass).Root>) {
                    \(raw: peers)super.init(backingData: backingData)
                }
                """,
                """
                \(raw: prefix)init(_$state state: SluiceData._ModelState) {
                    \(raw: peers)_$backingData = _$Storage()
                    super.init(_$state: state)
                }
                """,
            ]
        }
    }

    /// Empties what default values filled, for a row: a subclass that inherits its initialisers has no other place to do it. The root
    /// class calls it.
    var forgetDefaults: [DeclSyntax] {
        let access = nonisolated + model.access.overridableModifier
        if isRoot { return model.isFinal ? [] : ["\(raw: access)func _$forgetDefaults() {\n}"] }
        guard inheritsInitializers else { return [] }
        return ["override \(raw: access)func _$forgetDefaults() {\nsuper._$forgetDefaults()\n_$backingData = _$Storage()\n}"]
    }

    /// Peers without a default value: with one, the compiler takes the user's own assignment for a second one.
    private var peers: String {
        model.properties.filter(\.isInitializedByHand)
            .map { "\($0.peerName) = _SwiftDataNoType()\n" }.joined()
    }

    private var final: String { nonisolated + model.access.modifier + (model.isFinal ? "" : "final ") }

    var state: DeclSyntax {
        """
        \(raw: final)var _$state: SluiceData._ModelState {
            if let state = _$backingData._$state {
                return state
            }
            return SluiceData._ModelState.of(&_$backingData._$state)
        }
        """
    }

    var observationRegistrar: DeclSyntax {
        """
        \(raw: final)var _$observationRegistrar: SluiceData.ObservationRegistrar {
            _$state.registrar
        }
        """
    }

    /// How many properties the superclasses declare.
    var base: [DeclSyntax] {
        switch role {
        case .subclass: ["\(raw: nonisolated)private static let _$base = SluiceData._inheritedPropertyCount(of: \(raw: model.name).self)"]
        case .root where ModelClass.countsFromBase(model.declaration): ["\(raw: nonisolated)private static var _$base: Int { 0 }"]
        case .root: []
        }
    }

    var decode: DeclSyntax { row("_$decode", "_RowReader") }
    var encode: DeclSyntax { row("_$encode", "_RowWriter") }

    private func row(_ function: String, _ type: String) -> DeclSyntax {
        """
        \(raw: overriding)func \(raw: function)(_ row: SluiceData.\(raw: type)) {
            \(raw: isRoot ? "" : "super.\(function)(row)\n    ")_$backingData.\(raw: function)(row, \(raw: isRoot ? "0" : "Self._$base"))
        }
        """
    }

    var visit: DeclSyntax {
        """
        \(raw: overriding)func _$visit<Visitor: SluiceData._PropertyVisitor>(_ visitor: inout Visitor) {
            \(raw: isRoot ? "" : "super._$visit(&visitor)\n    ")_$backingData._$visit(&visitor, \(raw: isRoot ? "0" : "Self._$base"))
        }
        """
    }

    var access: DeclSyntax {
        """
        nonisolated func access<Member>(keyPath: KeyPath<\(raw: model.name), Member>) {
            _$observationRegistrar.access(self, keyPath: keyPath)
        }
        """
    }

    var withMutation: DeclSyntax {
        """
        nonisolated func withMutation<Member, MutationResult>(
            keyPath: KeyPath<\(raw: model.name), Member>, _ mutation: () throws -> MutationResult
        ) rethrows -> MutationResult {
            try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }
        """
    }

    var emptyType: DeclSyntax { "struct _SwiftDataNoType {\n}" }
}
