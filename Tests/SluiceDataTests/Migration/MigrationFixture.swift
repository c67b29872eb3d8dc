import Foundation
import SluiceData
import SluiceSQLite
import SluiceStore
import Testing

/// One store that program after program opens.
struct MigrationFixture {
    let folder: StoreFolder
    var url: URL { folder.url.appending(path: "test.store") }

    init() throws { folder = try StoreFolder() }

    func open(_ types: any PersistentModel.Type..., plan: (any SchemaMigrationPlan.Type)? = nil, version: Schema.Version? = nil) throws -> ModelContainer {
        let schema = Schema(types, version: version ?? Schema.Version(1, 0, 0))
        return try ModelContainer(for: schema, migrationPlan: plan, configurations: [ModelConfiguration(url: url)])
    }

    func open(_ version: any VersionedSchema.Type, plan: any SchemaMigrationPlan.Type) throws -> ModelContainer {
        try ModelContainer(for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: url)])
    }

    /// Three items, as the first program left them.
    func fill() throws {
        let context = ModelContext(try open(Plain.Item.self))
        for (code, name) in [(1, "rice"), (2, "oats"), (3, "")] { context.insert(Plain.Item(code: code, name: name)) }
        try context.save()
    }

    /// The file's bytes. No program has it open; a watch of this process may hold the last container for a moment, and the log is in the
    /// file only when that has gone.
    func bytes() throws -> Data {
        let log = url.path + "-wal"
        while let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int, size > 0 { Thread.sleep(forTimeInterval: 0.001) }
        return try Data(contentsOf: url)
    }

    /// Opening throws that error, and the file is then, byte for byte, what it was.
    func refuses(
        _ wanted: SwiftDataError, mentioning words: String..., sourceLocation: SourceLocation = #_sourceLocation, _ open: () throws -> ModelContainer
    ) throws {
        let before = try bytes()
        let error = #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) { _ = try open() }
        #expect(error == wanted, "\(String(describing: error?.explanation))", sourceLocation: sourceLocation)
        for word in words { #expect(error?.explanation?.contains(word) == true, "\(error?.explanation ?? "nothing")", sourceLocation: sourceLocation) }
        #expect(try bytes() == before, sourceLocation: sourceLocation)
    }

    /// What the log says that a migration changed.
    var migrationEntryCount: Int {
        get throws {
            let connection = try Connection(path: url.path, mode: .readOnly)
            return Int(try connection.integer("SELECT count(*) FROM _sluice_change WHERE origin = ?", [.integer(ChangeOrigin.migration.rawValue)]))
        }
    }

    var backups: [String] {
        get throws { try StoreBackup.all(of: url.path).map(\.path) }
    }
}
