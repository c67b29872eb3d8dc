import Foundation
import SluiceData
import Synchronization

/// A store in one JSON file: an archive of snapshots, in the manner of the sample that introduced custom stores.
struct JSONStoreConfiguration: DataStoreConfiguration {
    typealias Store = JSONStore

    var name: String
    var schema: Schema?
    var fileURL: URL
    /// Whether the store leaves filtering and sorting to the context, as the sample does. Otherwise it takes any descriptor and looks at
    /// none of it.
    var isCandid = true

    init(name: String, schema: Schema? = nil, fileURL: URL, isCandid: Bool = true) {
        self.name = name
        self.schema = schema
        self.fileURL = fileURL
        self.isCandid = isCandid
    }

    func validate() throws {
        guard fileURL.isFileURL else { throw CocoaError(.fileNoSuchFile) }
    }
}

final class JSONStore: DataStore {
    typealias Configuration = JSONStoreConfiguration
    typealias Snapshot = DefaultSnapshot

    /// What contexts asked of stores, by the file's name: tests look at it.
    static let log = Mutex<[String: [String]]>([:])

    let configuration: JSONStoreConfiguration
    let schema: Schema
    let identifier: String

    init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        guard let schema = configuration.schema else { throw CocoaError(.featureUnsupported) }
        self.configuration = configuration
        self.schema = schema
        identifier = configuration.fileURL.lastPathComponent
    }

    private func note(_ text: String) { Self.log.withLock { $0[configuration.fileURL.path, default: []].append(text) } }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        note("fetch \(Schema.entityName(for: T.self))")
        if configuration.isCandid {
            if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
            if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        }
        let all = try read()
        let snapshots = all.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots, relatedSnapshots: all)
    }

    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let author = request.editingState.author ?? "nobody"
        note("save \(request.inserted.count) \(request.updated.count) \(request.deleted.count) by \(author)")
        var all = try read()
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
        }
        for snapshot in request.inserted + request.updated {
            let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            all[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
        }
        for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
        try write(all)
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
    }

    func erase() throws { try write([:]) }

    func initializeState(for editingState: EditingState) { note("begin \(editingState.id)") }
    func invalidateState(for editingState: EditingState) { note("end \(editingState.id)") }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let snapshots = try decoder.decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
        return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
    }

    private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Array(snapshots.values)).write(to: configuration.fileURL, options: .atomic)
    }
}
