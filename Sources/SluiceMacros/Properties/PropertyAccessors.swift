internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Writes the accessors of one persisted property.
struct PropertyAccessors {
    let property: PersistedProperty
    /// The place among all properties of the hierarchy, as an expression.
    let index: String
    var flags = ObserverFlags(at: "")

    private var name: String { property.name.text }
    private var observers: AccessorBlockSyntax? { property.variable.bindings.first?.accessorBlock }

    var all: [AccessorDeclSyntax] { property.isConstant ? [initializer, getter] : [initializer, getter, setter] }

    private var initializer: AccessorDeclSyntax {
        let note = property.isObserved ? "_$backingData.\(flags.wasSet) = true\n" : ""
        return """
            @storageRestrictions(accesses: _$backingData, initializes: \(raw: property.peerName))
            init(initialValue) {
                _$backingData.\(raw: name) = initialValue
                \(raw: note)\(raw: property.peerName) = _SwiftDataNoType()
            }
            """
    }

    private var getter: AccessorDeclSyntax {
        """
        get {
            _$observationRegistrar.access(self, keyPath: \\.\(raw: name))
            return _$read(_$backingData.\(raw: name), at: \(raw: index))
        }
        """
    }

    private var assignment: String {
        """
        _$mutate(\\.\(name)) {
            _$backingData.\(name) = _$assigned(newValue, at: \(index))
        }
        """
    }

    private var setter: AccessorDeclSyntax {
        guard let observers else { return "set {\n\(raw: assignment)\n}" }
        return ObservedSetter(
            name: property.name, assignment: assignment, oldValue: "_$read(_$backingData.\(name), at: \(index))", flags: flags,
            willSet: observers.observer(.willSet), didSet: observers.observer(.didSet)
        ).declaration
    }

    /// Optional properties keep their mark: it lets the compiler initialise them with nil, which no other may be.
    var peer: DeclSyntax {
        if property.isInitializedByHand { return "private var \(raw: property.peerName): _SwiftDataNoType" }
        let mark =
            switch property.type?.kind {
            case .optionalType: "?"
            case .implicitlyUnwrappedOptionalType: "!"
            default: ""
            }
        return "private var \(raw: property.peerName): _SwiftDataNoType\(raw: mark) = _SwiftDataNoType()"
    }
}
