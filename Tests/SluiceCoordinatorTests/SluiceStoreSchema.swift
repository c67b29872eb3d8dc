import SluiceSchema
import SluiceStore

enum SluiceStoreSchema {
    /// The schema that an account's store holds.
    static func read(_ stateDirectory: String) throws -> Schema? { try Store.schema(at: stateDirectory + "/Private.store") }
}
