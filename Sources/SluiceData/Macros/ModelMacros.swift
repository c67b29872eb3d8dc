// Declarations only; SluiceMacros expands them.

/// Makes a class a model: its stored properties become attributes and relationships of an entity named like the class.
///
///     @Model
///     final class Note {
///         @Attribute(.unique) var id: UUID
///         var title: String
///         init(id: UUID = UUID(), title: String) { self.id = id; self.title = title }
///     }
///
/// - Parameter originalName: the class's name in an earlier version of the schema, where it had another. Ours; SwiftData has no such hint.
@attached(
    member, conformances: PersistentModel, Sendable,
    names: named(_$backingData), named(_$Storage), named(persistentBackingData), named(schemaMetadata), named(init), named(_$state),
    named(_$observationRegistrar), named(_SwiftDataNoType), named(access), named(withMutation), named(_$originalName), named(_$decode),
    named(_$encode), named(_$visit), named(_$base), named(_$SlotType), named(_$forgetDefaults)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model(originalName: String? = nil) = #externalMacro(module: "SluiceMacros", type: "PersistentModelMacro")

/// Says more about an attribute than its type does.
@attached(peer)
public macro Attribute(_ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil) =
    #externalMacro(module: "SluiceMacros", type: "AttributePropertyMacro")

/// Says more about a relationship than its type does. Ours beyond SwiftData: the option `.ordered`, for a to-many that keeps its order.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SluiceMacros", type: "RelationshipPropertyMacro")

/// Keeps a property out of the store.
@attached(peer)
public macro Transient() = #externalMacro(module: "SluiceMacros", type: "TransientPropertyMacro")

/// Properties, or sets of properties, that no two rows share.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SluiceMacros", type: "UniqueMacro")

/// Properties, or sets of properties, that fetches filter or sort by.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SluiceMacros", type: "IndexMacro")

/// Indices of a given kind.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "SluiceMacros", type: "IndexMacro")

/// Makes an actor the owner of one context, on an executor of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SluiceMacros", type: "PersistentModelActorMacro")

/// `@Model` puts it on every persisted property, with the property's place among those of its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(at index: Int) = #externalMacro(module: "SluiceMacros", type: "PersistedPropertyMacro")

/// The same for a property whose value a transformer turns into bytes.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty(at index: Int) =
    #externalMacro(module: "SluiceMacros", type: "TransformablePersistedPropertyMacro")
