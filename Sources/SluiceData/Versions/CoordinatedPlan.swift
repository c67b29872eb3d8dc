// A program's model classes as a coordinator takes them, which opens and migrates the synced store ahead of any container.

package import Foundation
package import SluiceSchema
package import SluiceStore

/// What a coordinator needs of a program's models.
package struct CoordinatedPlan: Sendable {
    /// The shape that the store is brought to.
    package let wanted: SluiceSchema.Schema
    /// As it concerns a store of some shape; nil without a migration plan.
    package let upgradePlan: (@Sendable (_ held: SluiceSchema.Schema) throws -> UpgradePlan)?
    /// Without a plan: defaults that are worked out for each row.
    package let supplied: @Sendable () -> [SuppliedValue]

    /// - Parameters:
    ///   - models: the classes that sync.
    ///   - name: the schema's.
    ///   - store: the synced store.
    ///   - adjusting: what is laid over the shape of every version.
    /// - Throws: `SwiftDataError` for classes and plans that contradict themselves, and what `adjusting` throws.
    package init(
        _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)?, named name: String, store: URL,
        adjusting: @escaping @Sendable (SluiceSchema.Schema) throws -> SluiceSchema.Schema
    ) throws {
        supplied = { SuppliedValue.all(of: models) }
        guard let plan else {
            wanted = try adjusting(Schema(models).storeSchema(named: name))
            upgradePlan = nil
            return
        }
        let route = try MigrationRoute(plan)
        let entities = try Schema(models).storeSchema(named: name).entities
        let version = try route.versions.last { try $0.schema.storeSchema(named: name).entities == entities }
        guard let version else {
            throw SwiftDataError.unknownSchema.because(
                "the classes are those of no version of \(plan): give `embed` the classes of the newest version, and list that in `schemas`")
        }
        let wanted = try adjusting(Schema(models, version: version.schema.version).storeSchema(named: name))
        self.wanted = wanted
        let configuration = ModelConfiguration("synced", url: store, cloudKitDatabase: .none)
        let stored = StorePlan(configuration: configuration, wanted: wanted, route: route, adjusting: adjusting)
        upgradePlan = { try stored($0) }
    }
}
