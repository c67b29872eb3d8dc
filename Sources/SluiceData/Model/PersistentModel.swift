// What `@Model` makes of a class, as the rest of the module sees it. The requirements whose names begin with `_$` are the macro's business
// with this module: typed storage that is read and written without key paths and without existential boxes (Docs/SluiceData.md shows an
// expansion). Everything else is SwiftData's protocol.


/// A class whose instances are rows of a store. `@Model` makes the conformance; nobody writes it by hand.
///
/// An instance belongs to the context that fetched it or that it was inserted into, and is used where that context is used: it is not Sendable.
/// Its `persistentModelID` is what crosses to another actor or process.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The class at the root of the hierarchy.
    associatedtype Root: PersistentModel = Self

    init(backingData: any BackingData<Self>)
    var persistentBackingData: any BackingData<Self> { get set }
    /// The properties that this class declares, without its superclass's.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }

    /// The name that the class had in an earlier version: `@Model(originalName:)`.
    static var _$originalName: String? { get }
    /// Where the instance stands: its context, its row, what changed. One per instance, made when it is first asked for.
    var _$state: _ModelState { get }
    /// An instance without values, for a row.
    init(_$state: _ModelState)
    /// Takes the values of a row into the storage.
    func _$decode(_ row: _RowReader)
    /// Hands the values to a row that is being written.
    func _$encode(_ row: _RowWriter)
    /// Calls the visitor with the slot of every persisted property.
    func _$visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor)
}
