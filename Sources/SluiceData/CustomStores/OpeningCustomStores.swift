public import Foundation
import SluiceSchema

extension ModelContainer {
    /// Opens stores of one's own, beside stores of this module where some configurations are `ModelConfiguration`s.
    /// - Throws: what a store throws when it is made; `SwiftDataError` as for any container.
    public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
        let own = configurations.compactMap { $0 as? ModelConfiguration }
        guard own.count < configurations.count else {
            try self.init(for: givenSchema, migrationPlan: nil, configurations: own)
            return
        }
        let assignment = try StoreAssignment(givenSchema, configurations)
        let stores = try assignment.parts.map { part in (store: try OpenStore.open(part), types: part.types) }
        try self.init(schema: givenSchema, migrationPlan: nil, configurations: Set(own), stores: stores)
    }

    /// Opens stores of one's own for model classes and what they relate to.
    /// - Throws: as above.
    public convenience init(for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }
}

extension OpenStore {
    /// The store of any configuration.
    static func open(_ part: StoreAssignment.Part, route: MigrationRoute? = nil) throws -> OpenStore {
        if let own = part.configuration as? ModelConfiguration { return try OpenStore(own, schema: part.storeSchema, types: part.types, route: route) }
        return try openCustom(part.configuration, part)
    }

    private static func openCustom<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ part: StoreAssignment.Part
    ) throws -> OpenStore {
        var configuration = configuration
        if configuration.schema == nil { configuration.schema = Schema(part.types) }
        SnapshotTypes.register(
            Dictionary(part.types.map { (ModelShape.of($0).entityName, ModelShape.of($0)) }, uniquingKeysWith: { first, _ in first }))
        let store = try Configuration.Store(configuration, migrationPlan: nil)
        return try OpenStore(CustomStoreRows(store, types: part.types), named: configuration.name, schema: part.storeSchema)
    }
}
