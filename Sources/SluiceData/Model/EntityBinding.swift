// How one class lies in one open store. Made with the container, immutable from then on, shared by its contexts.

import Foundation
import SluiceSchema
import SluiceSQLite

/// A model class bound to its table.
final class EntityBinding: @unchecked Sendable {
    // Sendable: everything is set in init and never changed; the metatype and the buffer are only read.

    let type: any PersistentModel.Type
    let shape: ModelShape
    let entity: StoredEntity
    let store: OpenStore
    /// Number of the entity's table among all tables of the container: what the contexts' identity maps are kept by.
    let tableID: Int
    let links: [LinkBinding]
    /// For each property, its column in the table; nil for what lies elsewhere.
    let columns: [Int?]
    /// For each property, its column in the selection that `TableSelection` makes; −1 for what that does not select.
    let columnMap: UnsafeMutablePointer<Int32>
    /// The properties that a fetch leaves for later, each to be read by itself.
    let lateProperties: [LateProperty]
    /// Of this class's rows, and of its models that have none yet.
    private let origin: IdentifierOrigin
    private let newOrigin: IdentifierOrigin
    private let linkIndexes: [Int]
    private let transformations: [Transformation?]

    init(shape: ModelShape, entity: StoredEntity, store: OpenStore, tableID: Int, tableIDs: [Int], selection: TableSelection) {
        type = shape.type
        self.shape = shape
        self.entity = entity
        self.store = store
        self.tableID = tableID
        let table = store.layout.table(of: entity)
        origin = IdentifierOrigin(storeIdentifier: store.identifier, entityName: entity.name, rootEntityName: table.name)
        newOrigin = IdentifierOrigin(storeIdentifier: nil, entityName: entity.name, rootEntityName: table.name)
        var links: [LinkBinding] = []
        var linkIndexes: [Int] = []
        var columns: [Int?] = []
        var transformations: [Transformation?] = []
        for (index, property) in shape.properties.enumerated() {
            transformations.append(Transformation(property))
            if let link = entity.link(named: property.storedName) {
                linkIndexes.append(links.count)
                let destination = store.layout.entities[link.relationship.destination]?.table ?? 0
                links.append(LinkBinding(link, property: index, tableID: tableIDs[destination], schema: store.layout.schema))
                if case .own(let column) = link.place { columns.append(column) } else { columns.append(nil) }
            } else {
                linkIndexes.append(-1)
                let named = zip(entity.columns, entity.propertyNames).filter { $0.1 == property.storedName }.map(\.0)
                columns.append(named.first { table.columns[$0].attribute != nil })
            }
        }
        self.links = links
        self.linkIndexes = linkIndexes
        self.columns = columns
        self.transformations = transformations
        columnMap = selection.map(columns)
        lateProperties = columns.enumerated().compactMap { index, column in
            // The snapshots of a custom store are whole.
            guard let column, store.custom == nil, selection.isLate(column) else { return nil }
            return LateProperty(index: index, column: column, selection: selection.columns([column]), map: selection.map(columns, among: [column]))
        }
    }

    deinit {
        columnMap.deallocate()
        for property in lateProperties { property.map.deallocate() }
    }

    /// A property that is read when it is asked for.
    struct LateProperty {
        let index: Int
        let column: Int
        let selection: String
        /// For each property, its column in the selection.
        let map: UnsafeMutablePointer<Int32>
    }

    func lateProperty(at index: Int) -> LateProperty? { lateProperties.first { $0.index == index } }

    /// The statement that selects one row by its key: what a fetch reads, or one late property.
    func rowSQL(_ late: LateProperty?) -> String {
        store.selections[entity.table].statement(selecting: late?.selection, where: "t._pk = ?")
    }

    /// The place of a property among `links`; nil for an attribute.
    func linkIndex(at property: Int) -> Int? {
        guard property < linkIndexes.count, linkIndexes[property] >= 0 else { return nil }
        return linkIndexes[property]
    }

    func transformation(at property: Int) -> Transformation? { transformations[property] }

    /// What a property is where its row says nothing that its type understands.
    func defaultValue<Value>(of type: Value.Type, at property: Int) -> Value? { shape.properties[property].makeDefaultValue() as? Value }

    func identifier(of key: Int64) -> PersistentIdentifier {
        if key > 0, let custom = store.custom { return PersistentIdentifier(origin, custom.keys.key(of: key)) }
        return key > 0 ? PersistentIdentifier(origin, row: key) : PersistentIdentifier(newOrigin, temporary: key.magnitude)
    }
}

/// One relationship of a class, as its models see it.
struct LinkBinding: Sendable {
    let link: StoredEntity.Link
    /// The property's index in its class.
    let property: Int
    /// Where the other end's rows lie: `EntityBinding.tableID`.
    let table: Int
    /// The name of the property at the other end; nil for a one-way relationship.
    let inverse: String?
    let inverseIsToMany: Bool

    init(_ link: StoredEntity.Link, property: Int, tableID: Int, schema: SluiceSchema.Schema) {
        self.link = link
        self.property = property
        table = tableID
        inverse = link.relationship.inverse
        inverseIsToMany = schema.inverse(of: link.relationship)?.isToMany ?? false
    }

    var isToMany: Bool { link.relationship.isToMany }
    var isOrdered: Bool { link.relationship.isOrdered }
    /// Whether the members are kept neither in this row nor by their own to-one property: the owner's save relates them.
    var isKeptByOwner: Bool {
        if case .join = link.place { return true }
        return isToMany && (inverse == nil || isOrdered)
    }
}
