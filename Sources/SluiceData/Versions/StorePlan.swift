// A program's migration plan in the engine's terms, and the engine's refusals in SwiftData's.

import SluiceSchema
import SluiceStore

/// The plan of a container as it concerns one of its stores.
struct StorePlan: @unchecked Sendable {
    // Sendable: nothing in it changes once it is made; a `Schema` of the public API is a class that may, and this one is not handed out.

    let configuration: ModelConfiguration
    let wanted: SluiceSchema.Schema
    let route: MigrationRoute
    var adjusting: @Sendable (SluiceSchema.Schema) throws -> SluiceSchema.Schema = { $0 }

    /// - Parameter held: the shape that the file has.
    /// - Throws: `SwiftDataError.unknownSchema` where the container's classes are those of no version.
    func callAsFunction(_ held: SluiceSchema.Schema) throws -> UpgradePlan {
        let versions = try StoreVersions(route, wanted: wanted, held: held, adjusting: adjusting)
        let scratch = MigrationScratch()
        return UpgradePlan(
            "\(route.plan)", versions: zip(route.versions, versions.shapes).map { .init($0.name, $1) }, target: versions.target,
            stages: route.stages.map { stage in
                UpgradeStage(
                    from: stage.from, to: stage.to, name: "\(route.versions[stage.from].schema.version) → \(route.versions[stage.to].schema.version)",
                    discarded: route.plan.discardedProperties, before: code(stage.before, version: stage.from, versions, scratch),
                    after: code(stage.after, version: stage.to, versions, scratch), supplied: SuppliedValue.all(of: versions.types[stage.to]))
            })
    }

    private func code(
        _ body: (@Sendable (ModelContext) throws -> Void)?, version: Int, _ versions: StoreVersions, _ scratch: MigrationScratch
    ) -> UpgradeStage.Code? {
        body.map { body in
            let context = StageContext(
                configuration: configuration, types: versions.types[version], schema: route.versions[version].schema, scratch: scratch)
            return { try context.run(body, on: $0) }
        }
    }
}

extension StoreUpgrade {
    /// The upgrade of a configuration's store to the shape of its classes.
    init(
        _ configuration: ModelConfiguration, path: String, wanted: SluiceSchema.Schema, types: [any PersistentModel.Type], route: MigrationRoute?,
        options: Store.Options
    ) {
        self.init(
            path: path, wanted: wanted, options: options, supplied: route == nil ? SuppliedValue.all(of: types) : [],
            plan: route.map { StorePlan(configuration: configuration, wanted: wanted, route: $0).callAsFunction })
    }

    /// - Throws: `SwiftDataError`: `.storeIsNewer`, `.backwardMigration`, `.unknownSchema`, `.ambiguousRename`, `.loadIssueModelContainer` for a
    ///   change that does not follow from the shapes; what the plan's code throws. The file is then as it was.
    func run(for configuration: ModelConfiguration) throws -> SluiceSchema.Schema {
        do { return try run() } catch let refusal as UpgradeRefusal {
            throw SwiftDataError.refused(refusal, configuration)
        } catch let refusal as MigrationRefusal {
            throw SwiftDataError.refused(.step(refusal), configuration)
        }
    }
}

extension SuppliedValue {
    /// The defaults of required attributes that no schema has as a constant: moments, identifiers, whatever has another value each time.
    static func all(of types: [any PersistentModel.Type]) -> [SuppliedValue] {
        var seen: Set<String> = []
        let shapes = types.flatMap { type in Array(sequence(first: ModelShape.of(type)) { $0.superclass }) }
        return shapes.filter { seen.insert($0.entityName).inserted }.flatMap { shape in
            shape.ownProperties.compactMap { property -> SuppliedValue? in
                guard property.hasDefault, property.constantDefault == nil, !property.isOptional, case .attribute(let kind) = property.kind else {
                    return nil
                }
                return SuppliedValue(entity: shape.entityName, property: property.name) {
                    guard let value = property.makeDefaultValue().flatMap({ PropertyValue(default: $0, as: kind) }) else {
                        throw StoreError.wrongType(property: property.name, entity: shape.entityName)
                    }
                    return value
                }
            }
        }
    }
}
