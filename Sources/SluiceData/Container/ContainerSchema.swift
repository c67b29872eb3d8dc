import Foundation
import SluiceSchema

/// Which class lies where: every model class of a container, bound to its store and table.
final class ContainerSchema: Sendable {
    let stores: [OpenStore]
    private let byType: [ObjectIdentifier: EntityBinding]
    private let byName: [String: EntityBinding]
    private let tableBindings: [Int: EntityBinding]
    let tableCount: Int
    /// For each store, the container's numbers of its tables.
    let tableIDs: [[Int]]

    /// - Throws: `SwiftDataError.migrationRequired` where a file that is only read lacks an entity or a property that a class declares.
    init(stores: [(store: OpenStore, types: [any PersistentModel.Type])]) throws {
        var byType: [ObjectIdentifier: EntityBinding] = [:]
        var byName: [String: EntityBinding] = [:]
        var tableIDs: [[Int]] = []
        var count = 0
        for (store, types) in stores {
            let numbers = store.layout.tables.indices.map { count + $0 }
            count += numbers.count
            tableIDs.append(numbers)
            for type in types {
                let shape = ModelShape.of(type)
                guard let entity = store.layout.entities[shape.entityName] else {
                    throw SwiftDataError.lacks("entity \(shape.entityName)", store.configuration)
                }
                let binding = EntityBinding(
                    shape: shape, entity: entity, store: store, tableID: numbers[entity.table], tableIDs: numbers,
                    selection: store.selections[entity.table])
                for (property, column) in zip(shape.properties, binding.columns) where column == nil {
                    guard entity.link(named: property.storedName) != nil || property.isEphemeral else {
                        throw SwiftDataError.lacks("property \(shape.entityName).\(property.name)", store.configuration)
                    }
                }
                byType[ObjectIdentifier(type)] = binding
                byName[shape.entityName] = binding
            }
        }
        self.stores = stores.map(\.store)
        self.byType = byType
        self.byName = byName
        self.tableIDs = tableIDs
        tableBindings = Dictionary(
            byName.values.map { ($0.tableID, $0) }, uniquingKeysWith: { $0.shape.properties.count <= $1.shape.properties.count ? $0 : $1 })
        tableCount = count
    }

    func binding(of type: any PersistentModel.Type) -> EntityBinding? { byType[ObjectIdentifier(type)] }
    func binding(named entity: String) -> EntityBinding? { byName[entity] }
    var bindings: [EntityBinding] { byName.values.sorted { $0.entity.name < $1.entity.name } }

    /// - Throws: `SwiftDataError.unknownSchema` where the container has no such class.
    func require(_ type: any PersistentModel.Type) throws -> EntityBinding {
        if let binding = binding(of: type) { return binding }
        throw SwiftDataError.unknownModel(type)
    }

    /// A class in a table: the root of its hierarchy where the container has it.
    func anyBinding(ofTable table: Int) -> EntityBinding? { tableBindings[table] }

    func tableID(of store: OpenStore, table: Int) -> Int {
        tableIDs(of: store)[table]
    }

    /// The container's numbers of a store's tables.
    func tableIDs(of store: OpenStore) -> [Int] {
        stores.firstIndex { $0 === store }.map { tableIDs[$0] } ?? []
    }

    /// The class of a row, from the table and the discriminator that its row has.
    func binding(of store: OpenStore, table: Int, discriminator: String?) -> EntityBinding? {
        store.layout.entity(inTable: table, discriminator: discriminator).flatMap { byName[$0.name] }
    }
}
