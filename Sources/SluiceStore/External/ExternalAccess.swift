import Glibc

/// Who may read the files beside a store: whoever may read the store, and nobody who cannot enter its directory.
///
/// A store of mode 0644 in a directory of mode 0700 gives files of mode 0600, one of mode 0640 in a group container gives 0640 in folders
/// of mode 2750. Where root writes, files belong to the store's owner, as SQLite's log does.
struct ExternalAccess: Equatable {
    let fileMode: mode_t
    let folderMode: mode_t
    /// nil where files belong to whoever makes them.
    private(set) var user: uid_t?
    private(set) var group: gid_t?

    /// - Parameters:
    ///   - store: mode of the store's file.
    ///   - directory: mode of the directory that holds the folder.
    init(store: mode_t, directory: mode_t) {
        var mode = store & 0o666 | 0o600
        if directory & 0o010 == 0 { mode &= ~0o060 }
        if directory & 0o001 == 0 { mode &= ~0o006 }
        fileMode = mode
        folderMode = mode | (mode & 0o444) >> 2 | directory & S_ISGID
    }

    /// Of a store that does not exist yet nobody else may read anything.
    init(besideStore path: String, in directory: String) {
        var (store, folder) = (stat(), stat())
        let isThere = stat(path, &store) == 0
        self.init(store: isThere ? store.st_mode : 0o600, directory: stat(directory, &folder) == 0 ? folder.st_mode : 0o700)
        guard isThere, geteuid() == 0 else { return }
        user = store.st_uid
        group = store.st_gid
    }

    func apply(toFile descriptor: Int32, _ path: String) throws(ExternalWriteFailure) {
        if let user, let group, fchown(descriptor, user, group) != 0 { throw .last("giving its owner to", path) }
        guard fchmod(descriptor, fileMode) == 0 else { throw .last("setting the mode of", path) }
    }

    func apply(toFolder path: String) throws(ExternalWriteFailure) {
        if let user, let group, chown(path, user, group) != 0 { throw .last("giving its owner to the folder of", path) }
        // After chown, which may clear the setgid bit.
        guard chmod(path, folderMode) == 0 else { throw .last("setting the mode of the folder of", path) }
    }
}
