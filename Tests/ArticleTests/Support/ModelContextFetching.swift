import SwiftData

extension ModelContext {
    func all<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] { try fetch(FetchDescriptor<Model>()) }
    func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int { try fetchCount(FetchDescriptor<Model>()) }
}

extension ModelContainer {
    /// A container whose store goes with it.
    static func inMemory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
}
