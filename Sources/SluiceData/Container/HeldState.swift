package import Foundation
package import SluiceReader
import SluiceSchema

extension ModelContainer {
    /// A container of one state of a group container's store, for a reader that holds that state and ends it.
    ///
    /// Its contexts fetch from that state and from no other; a save throws `SwiftDataError.missingEntitlement`.
    /// - Parameters:
    ///   - version: the version that the classes are of, where they say one.
    ///   - read: the state.
    ///   - snapshot: the same state, as rows.
    ///   - directory: the group container.
    /// - Throws: `SwiftDataError`: `.migrationRequired` where the store lacks what the classes declare, `.storeIsNewer` where it does because a newer
    ///   version took it away, `.invalidSchema` for classes that contradict themselves.
    package convenience init(
        for schema: Schema, version: Schema.Version?, reading read: BoundedRead, _ snapshot: Snapshot, in directory: String
    ) throws {
        let path = "\(directory)/\(snapshot.summary.file)"
        let held = snapshot.schema.version
        let configuration = ModelConfiguration(schema: schema, url: URL(filePath: path), allowsSave: false)
        let wanted = try schema.storeSchema(named: configuration.name)
        let store: OpenStore
        do {
            store = try OpenStore(reading: read, configuration, schema: wanted)
        } catch let error as SwiftDataError {
            guard case SwiftDataError.migrationRequired = error, let version, held > version.stored else { throw error }
            throw SwiftDataError.storeIsNewer.because(
                "\(path) is of schema version \(held), this program's classes are of \(version): update it. \(error)", underlyingError: error)
        }
        try self.init(schema: schema, migrationPlan: nil, configurations: [configuration], stores: [(store, schema.modelTypes)])
    }
}
