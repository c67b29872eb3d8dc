import Foundation
import SluiceSchema

/// Which classes lie in which configuration's store: those that its schema lists, and for a configuration without a schema those that no other lists.
struct StoreAssignment {
    struct Part {
        let configuration: any DataStoreConfiguration
        let types: [any PersistentModel.Type]
        let storeSchema: SluiceSchema.Schema
    }

    let parts: [Part]

    /// - Throws: `SwiftDataError` for two configurations of one name or file, for a class of a configuration that the container does not have, and for a
    ///   class that no configuration has.
    init(_ schema: Schema, _ configurations: [any DataStoreConfiguration]) throws {
        var names: Set<String> = []
        var files: Set<URL> = []
        for configuration in configurations {
            try configuration.validate()
            let file = (configuration as? ModelConfiguration).flatMap { $0.isStoredInMemoryOnly ? nil : $0.url.standardizedFileURL }
            let isNewFile = file.map { files.insert($0).inserted } ?? true
            guard names.insert(configuration.name).inserted, isNewFile else { throw SwiftDataError.duplicateConfiguration }
        }
        let all = schema.modelTypes
        var unclaimed = all.filter { type in
            !configurations.contains { $0.schema?.modelTypes.contains { $0 == type } ?? false }
        }
        parts = try configurations.map { configuration in
            let types: [any PersistentModel.Type]
            if let own = configuration.schema {
                types = own.modelTypes
                for type in types where !all.contains(where: { $0 == type }) {
                    throw SwiftDataError.configurationSchemaNotFoundInContainerSchema
                }
            } else {
                types = unclaimed
                unclaimed = []
            }
            return Part(configuration: configuration, types: types, storeSchema: try Schema(types, version: (configuration.schema ?? schema).version).storeSchema(named: configuration.name))
        }
        if let homeless = unclaimed.first { throw SwiftDataError.unknownModel(homeless) }
    }
}
