// Assets as files beside the database:
//
//     <data>/assets/incoming/<random>                     on its way; nothing here outlives the process
//     <data>/assets/<database>/<2 digits>/<32 digits>     all bytes are on disk, and the name too, before the storage hears of it
//
// A file is never changed. The storage's row is made after the file and removed before it, so that a crash leaves at worst a file too many.

import CShims
package import Foundation
import Glibc
import SluiceDigest
import SluiceFailpoints
package import SluiceHTTPServer
import Synchronization

/// Keeps assets in a folder that nobody else uses. Blocking work runs on threads of its own.
package final class FileAssetStore: AssetStore {
    private let folder: String
    private let queue = DispatchQueue(label: "sluice.records.assets", attributes: .concurrent)
    private let receiverCount = Mutex(0)
    /// Uploads at once.
    private static let receiverCountMax = 64

    /// Makes the folder where it is missing, 0700.
    /// - Parameter clearsIncoming: removes what an earlier process left half received; only for the process that serves the folder.
    package init(folder: String, clearsIncoming: Bool = true) throws(AssetStoreError) {
        self.folder = folder
        try Self.makeFolder(folder)
        try Self.makeFolder(folder + "/incoming")
        guard clearsIncoming else { return }
        for name in Self.names(in: folder + "/incoming") { unlink("\(folder)/incoming/\(name)") }
    }

    package func receiver(byteCountMax: Int) -> (any AssetReceiver)? {
        let isTaken = receiverCount.withLock { count in
            guard count < Self.receiverCountMax else { return false }
            count += 1
            return true
        }
        guard isTaken else { return nil }
        return FileReceiver(self, byteCountMax: byteCountMax, path: "\(folder)/incoming/\(UInt64.random(in: .min ... .max))")
    }

    fileprivate func receiverEnded() { receiverCount.withLock { $0 -= 1 } }

    fileprivate func path(of asset: AssetID, in database: DatabaseID) -> String {
        "\(folder)/\(database.rawValue)/\(asset.description.prefix(2))/\(asset)"
    }

    // MARK: Reading and removing

    package func body(of asset: StoredAsset, in database: DatabaseID) async -> FileBody? {
        let path = path(of: asset.id, in: database)
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.body(path, byteCount: asset.byteCount)) }
        }
    }

    private static func body(_ path: String, byteCount: Int64) -> FileBody? {
        let descriptor = sluice_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return nil }
        let file = FileBody(descriptor: descriptor, byteCount: Int(byteCount))
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0, Int64(attributes.st_size) == byteCount else { return nil }
        return file
    }

    package func digest(of asset: AssetID, in database: DatabaseID) async throws(AssetStoreError) -> Data? {
        let path = path(of: asset, in: database)
        return try await onQueue { () throws(AssetStoreError) in
            let descriptor = sluice_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
            if descriptor < 0, errno == ENOENT { return nil }
            guard descriptor >= 0 else { throw AssetStoreError("opening", path, code: errno) }
            defer { close(descriptor) }
            return try Self.digest(of: descriptor, path)
        }
    }

    package func remove(_ asset: AssetID, in database: DatabaseID) async throws(AssetStoreError) {
        let path = path(of: asset, in: database)
        try await onQueue { () throws(AssetStoreError) in
            guard unlink(path) == 0 || errno == ENOENT else { throw AssetStoreError("removing", path, code: errno) }
        }
    }

    package func removeForgotten(
        before date: Date, known: @Sendable (DatabaseID, [AssetID]) async throws -> Set<AssetID>
    ) async throws -> Int {
        var count = 0
        for name in Self.names(in: folder) {
            guard let database = Int64(name).map(DatabaseID.init(rawValue:)) else { continue }
            for part in Self.names(in: "\(folder)/\(name)") {
                let old = try await onQueue { [folder] () throws(AssetStoreError) in Self.files(in: "\(folder)/\(name)/\(part)", before: date) }
                guard !old.isEmpty else { continue }
                let known = try await known(database, old)
                for asset in old where !known.contains(asset) {
                    try await remove(asset, in: database)
                    count += 1
                }
            }
        }
        return count
    }

    private static func files(in folder: String, before date: Date) -> [AssetID] {
        names(in: folder).compactMap { name in
            var attributes = stat()
            guard let asset = AssetID(text: name), lstat("\(folder)/\(name)", &attributes) == 0,
                Double(attributes.st_mtim.tv_sec) < date.timeIntervalSince1970
            else { return nil }
            return asset
        }
    }

    fileprivate static func digest(of descriptor: Int32, _ path: String) throws(AssetStoreError) -> Data {
        var stream = Digest.Stream()
        var buffer = Data(count: 1 << 20)
        var offset: off_t = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AssetStoreError("reading", path, code: errno) }
            if count == 0 { return stream.finish() }
            stream.update(buffer.prefix(count))
            offset += count
        }
    }

    // MARK: Folders

    /// Empty where the folder is not there.
    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes a folder and puts its name on disk.
    fileprivate static func makeFolder(_ path: String) throws(AssetStoreError) {
        guard mkdir(path, 0o700) != 0 else { return try settle((path as NSString).deletingLastPathComponent) }
        guard errno == EEXIST else { throw AssetStoreError("making", path, code: errno) }
    }

    /// Puts the names in a folder on disk.
    fileprivate static func settle(_ folder: String) throws(AssetStoreError) {
        let descriptor = sluice_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw AssetStoreError("opening", folder, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AssetStoreError("putting on disk the names in", folder, code: errno) }
    }

    fileprivate func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws(AssetStoreError) -> Result
    ) async throws(AssetStoreError) -> Result {
        let result: Swift.Result<Result, AssetStoreError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(AssetStoreError) { continuation.resume(returning: .success(try body())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

/// A file in `incoming`. Pieces come on one thread after the other; the last one before `finish`.
private final class FileReceiver: AssetReceiver {
    private struct State {
        var byteCount: Int64 = 0
        /// The first thing that went wrong; later pieces are dropped.
        var fault: AssetStoreError?
        var isNamed = false
    }

    let byteCountMax: Int
    private let store: FileAssetStore
    private let path: String
    private let descriptor: Int32
    private let state: Mutex<State>

    init(_ store: FileAssetStore, byteCountMax: Int, path: String) {
        self.store = store
        self.byteCountMax = byteCountMax
        self.path = path
        descriptor = sluice_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        state = Mutex(State(fault: descriptor < 0 ? AssetStoreError("making", path, code: errno) : nil))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !state.withLock({ $0.isNamed }) { unlink(path) }
        store.receiverEnded()
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.fault == nil else { return }
            var rest = bytes
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    state.fault = AssetStoreError("writing", path, code: count < 0 ? errno : EIO)
                    return
                }
                state.byteCount += Int64(count)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    func finish(as asset: AssetID, in database: DatabaseID) async throws(AssetStoreError) -> (byteCount: Int64, digest: Data) {
        if let fault = state.withLock({ $0.fault }) { throw fault }
        let target = store.path(of: asset, in: database)
        return try await store.onQueue { () throws(AssetStoreError) in
            guard fsync(self.descriptor) == 0 else { throw AssetStoreError("putting on disk", self.path, code: errno) }
            // Of what is in the file, not of what was meant to be.
            let digest = try FileAssetStore.digest(of: self.descriptor, self.path)
            let folder = (target as NSString).deletingLastPathComponent
            try FileAssetStore.makeFolder((folder as NSString).deletingLastPathComponent)
            try FileAssetStore.makeFolder(folder)
            Failpoint.pass(.renaming)
            guard rename(self.path, target) == 0 else { throw AssetStoreError("naming", target, code: errno) }
            self.state.withLock { $0.isNamed = true }
            Failpoint.pass(.renamed)
            try FileAssetStore.settle(folder)
            return (self.state.withLock { $0.byteCount }, digest)
        }
    }
}
