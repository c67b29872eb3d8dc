import Glibc
import SluiceSchema
import SluiceSQLite

/// The backup of a migration that has not taken place yet. It is kept if that does, and goes if it does not: a program that fails, or is
/// killed, at every start must not fill the disk, or push out the backups of better days.
///
/// A file beside the copy says so, and is locked while the process that made it lives: what nobody has locked is of one that was killed.
final class ProvisionalBackup {
    private let backup: StoreBackup
    private let storePath: String
    private let mark: Mark

    private static let markName = "unfinished"

    /// Copies the store and checks the copy. Backups of migrations that were killed before they took place go.
    /// - Parameters:
    ///   - held: the schema that the store has.
    ///   - progress: pages left, and in all; what it throws ends the copying.
    /// - Throws: `BackupFailure`; `CancellationError` where `progress` threw that.
    init(of path: String, held: Schema, progress: (Int, Int) throws -> Void) throws {
        var mark: Mark?
        storePath = path
        backup = try StoreBackup.failing(for: path) {
            let folder = try BackupFolder(ofStore: path)
            try folder.removeAttempts()
            for other in try StoreBackup.all(of: path) { try Self.clear(other, in: folder, held: held) }
            // A migration waits for its backup: what is wrong with the store itself is for the doctor to find.
            return try StoreBackup.make(of: path, BackupName(label: "\(held.version)"), in: folder, prunes: false) {
                try Connection.copyDatabase(from: path, to: $0, checking: .pages, progress: progress)
                mark = try Mark(making: "\(BackupFolder.directory(of: $0))/\(Self.markName)")
            }
        }
        guard let mark else { throw BackupFailure(path: path, reason: ExternalWriteFailure.last("marking the backup of", path), neededByteCount: 0) }
        self.mark = mark
    }

    /// Under the folder's lock: nobody else makes or removes one.
    private static func clear(_ other: StoreBackup, in folder: BackupFolder, held: Schema) throws {
        let mark = "\(BackupFolder.directory(of: other.path))/\(markName)"
        guard Mark.isAbandoned(mark), let name = BackupName(other.name) else { return }
        // One that cannot be read, or of another shape, is the last word on a migration that did take place.
        if let schema = try? Store.schema(at: other.path), schema.entities == held.entities { try folder.remove(name) } else { unlink(mark) }
    }

    /// The migration took place: the backup stays, and the oldest of its kind go.
    func settle() throws {
        let folder = try BackupFolder(ofStore: storePath)
        unlink("\(BackupFolder.directory(of: backup.path))/\(Self.markName)")
        try StoreBackup.prune(folder, backup.kind)
    }

    /// It did not: the store is what the backup is.
    func remove() throws {
        guard let name = BackupName(backup.name) else { return }
        try BackupFolder(ofStore: storePath).remove(name)
    }

    /// A file that is locked as long as this value lives.
    private final class Mark {
        private let descriptor: Int32

        init(making path: String) throws {
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw ExternalWriteFailure.last("marking", path) }
        }

        deinit { close(descriptor) }

        /// Whether the file is there and nobody has it locked.
        static func isAbandoned(_ path: String) -> Bool {
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
    }
}
