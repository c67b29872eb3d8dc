import SluiceSchema

/// The versions of a plan as they concern one store, where a container has several.
struct StoreVersions {
    let route: MigrationRoute
    /// By version, the shape that the store has there.
    let shapes: [SluiceSchema.Schema]
    let types: [[any PersistentModel.Type]]
    /// The version that the container's classes are.
    let target: Int

    /// - Parameters:
    ///   - wanted: the shape of the container's classes in this store.
    ///   - held: the shape that the file has.
    /// - Throws: `SwiftDataError.unknownSchema` where the container's classes are those of no version.
    ///   - adjusting: what is laid over every version's shape: the identities that an account file gives.
    init(
        _ route: MigrationRoute, wanted: SluiceSchema.Schema, held: SluiceSchema.Schema,
        adjusting: (SluiceSchema.Schema) throws -> SluiceSchema.Schema = { $0 }
    ) throws {
        self.route = route
        func shape(_ version: Int, _ names: Set<String>) throws -> (SluiceSchema.Schema, [any PersistentModel.Type]) {
            let types = route.versions[version].schema.modelTypes.filter { names.contains(ModelShape.of($0).entityName) }
            let schema = Schema(types, version: route.versions[version].schema.version)
            return (try adjusting(schema.storeSchema(named: wanted.name)), schema.modelTypes)
        }
        let wantedNames = Set(wanted.entities.map(\.name))
        let found = try route.versions.indices.last { try shape($0, wantedNames).0.entities == wanted.entities }
        guard let target = found else {
            throw SwiftDataError.unknownSchema.because(
                "the container's classes are those of no version of \(route.plan): give it the classes of the newest version, and list that in `schemas`")
        }
        self.target = target
        // An entity of another version is this store's if it became one of this store's, or if the file has it.
        let all = try route.versions.map { try adjusting($0.schema.storeSchema(named: wanted.name)) }
        let heldNames = Set(held.entities.map(\.name))
        var names = Array(repeating: heldNames, count: all.count)
        names[target].formUnion(wantedNames)
        for version in (0..<target).reversed() {
            let match = SchemaMatch(from: all[version], to: all[version + 1])
            names[version].formUnion(all[version].entities.map(\.name).filter { name in
                match.destination(of: name).map { names[version + 1].contains($0.name) } ?? false
            })
        }
        for version in all.indices.dropFirst(target + 1) { names[version].formUnion(wantedNames) }
        names[target] = wantedNames
        let parts = try all.indices.map { try shape($0, names[$0]) }
        shapes = parts.map(\.0)
        types = parts.map(\.1)
    }
}
