import Foundation
import SluiceDigest
import Testing

@testable import SluiceHTTPServer
@testable import SluiceRecordService

/// Files beside the database.
@Suite struct FileAssetStoreTests {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-assets-\(UUID().uuidString)").path
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("\(folder): \(error)") } }
        try await body(folder)
    }

    private func put(_ store: FileAssetStore, _ pieces: [Data], as id: AssetID, in database: Int64 = 1) async throws -> StoredAsset {
        let receiver = try #require(store.receiver(byteCountMax: 1_000_000))
        for piece in pieces { piece.withUnsafeBytes { receiver.receive($0) } }
        let (byteCount, digest) = try await receiver.finish(as: id, in: DatabaseID(rawValue: database))
        return StoredAsset(id: id, digest: digest, byteCount: byteCount)
    }

    private func contents(_ store: FileAssetStore, _ asset: StoredAsset, in database: Int64 = 1) async throws -> Data? {
        guard let body = await store.body(of: asset, in: DatabaseID(rawValue: database)), let descriptor = body.take() else { return nil }
        return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    @Test func `a file comes in pieces and is there in full, for its database only`() async throws {
        try await withFolder { folder in
            let store = try FileAssetStore(folder: folder)
            let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let asset = try await put(store, [bytes.prefix(1), bytes[1..<2_000_000], bytes[2_000_000...]], as: AssetID(random: { 1 }))
            #expect(asset.byteCount == 3_000_000 && asset.digest == Digest.sha256(bytes))
            #expect(try await contents(store, asset) == bytes)
            #expect(try await contents(store, asset, in: 2) == nil)
            let empty = try await put(store, [], as: AssetID(random: { 2 }))
            #expect(try await contents(store, empty) == Data() && empty.byteCount == 0)
            // A file of another size is not the one that was uploaded.
            let path = "\(folder)/1/\(asset.id.description.prefix(2))/\(asset.id)"
            #expect(truncate(path, 5) == 0)
            #expect(try await contents(store, asset) == nil)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `what is not finished leaves nothing, nor does a process that died`() async throws {
        try await withFolder { folder in
            let store = try FileAssetStore(folder: folder)
            var receiver = store.receiver(byteCountMax: 10)
            Data("half".utf8).withUnsafeBytes { receiver?.receive($0) }
            #expect(try files(folder).count == 1)
            receiver = nil
            #expect(try files(folder) == [])
            try Data("dead".utf8).write(to: URL(fileURLWithPath: folder + "/incoming/1"))
            _ = try FileAssetStore(folder: folder)
            #expect(try files(folder) == [])
        }
    }

    @Test func `only so many come at once`() async throws {
        try await withFolder { folder in
            let store = try FileAssetStore(folder: folder)
            var receivers: [(any AssetReceiver)?] = (0..<64).map { _ in store.receiver(byteCountMax: 10) }
            #expect(receivers.allSatisfy { $0 != nil } && store.receiver(byteCountMax: 10) == nil)
            receivers.removeLast()
            #expect(store.receiver(byteCountMax: 10) != nil)
        }
    }

    @Test func `files that nobody knows go when they are old, known and young ones stay`() async throws {
        try await withFolder { folder in
            let store = try FileAssetStore(folder: folder)
            let (known, unknown) = (try await put(store, [Data([1])], as: AssetID(random: { 1 })), try await put(store, [Data([2])], as: AssetID(random: { 2 })))
            let other = try await put(store, [Data([3])], as: AssetID(random: { 1 }), in: 2)
            let asked: @Sendable (DatabaseID, [AssetID]) async throws -> Set<AssetID> = { database, _ in database.rawValue == 1 ? [known.id] : [] }
            #expect(try await store.removeForgotten(before: Date(timeIntervalSinceNow: -3_600), known: asked) == 0)
            #expect(try await store.removeForgotten(before: Date(timeIntervalSinceNow: 3_600), known: asked) == 2)
            #expect(try await contents(store, known) == Data([1]))
            #expect(try await contents(store, unknown) == nil)
            #expect(try await contents(store, other, in: 2) == nil)
            try await store.remove(known.id, in: DatabaseID(rawValue: 1))
            try await store.remove(known.id, in: DatabaseID(rawValue: 1))
            #expect(try files(folder) == [])
        }
    }
}
