// Modes. The directory is 2750: its group may enter and list it, and everything made inside belongs to that group (the setgid bit).
// Files are 0640, `Legacy` is 0700. Each mode is set after the thing is made, because the umask of whoever starts a coordinator is not
// ours. SQLite gives `-wal` and `-shm` the mode and group of the store they belong to.

import Glibc
package import SluiceReader

/// The directory of one group container, made and checked. Its one writer is the account's coordinator.
package struct GroupDirectory: Sendable {
    package let path: String

    /// Makes the directory where it is missing, and sets owner group and modes where they differ.
    /// - Parameter unixGroup: the group whose members are helpers; nil leaves the user's own.
    package init(preparing path: String, unixGroup: String?) throws(GroupError) {
        let group = try unixGroup.map(UnixGroup.init)
        self.path = path
        try Self.makeParents(of: path)
        try Self.make(path, mode: Self.folderMode, group: group)
        try Self.make(legacyPath, mode: 0o700, group: nil)
        try setContentModes(group: group?.identifier)
    }

    /// Where legacy stores are staged; nobody but the coordinator enters it.
    package var legacyPath: String { "\(path)/Legacy" }

    package func path(of file: LocalStoreFile) -> String { "\(path)/\(file.name)" }

    // MARK: Making it

    /// Makes the directories on the way to `path`, whatever the umask. Helpers pass through them, so everybody may enter those that are made
    /// here.
    package static func makeParents(of path: String) throws(GroupError) {
        let names = path.split(separator: "/").dropLast()
        var parent = path.hasPrefix("/") ? "" : "."
        for name in names {
            parent += "/\(name)"
            if mkdir(parent, 0o755) == 0 {
                guard chmod(parent, 0o755) == 0 else { throw .last("setting the mode", parent) }
            } else if errno != EEXIST {
                throw .last("making the directory", parent)
            }
        }
    }

    private static func make(_ path: String, mode: mode_t, group: UnixGroup?) throws(GroupError) {
        // Nobody may enter before the group and the mode are right.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("making the directory", path) }
        var status = stat()
        // A symbolic link there would lead out of the place that was asked for.
        guard lstat(path, &status) == 0 else { throw .last("looking at the directory", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path: path) }
        guard status.st_uid == geteuid() else { throw .ownedByAnother(path: path, user: status.st_uid) }
        if let group, status.st_gid != group.identifier {
            guard chown(path, uid_t.max, group.identifier) == 0 else {
                throw errno == EPERM ? .cannotSetUnixGroup(group.name, path: path) : .last("setting the group", path)
            }
        }
        // After chown, which clears the setgid bit.
        guard chmod(path, mode) == 0 else { throw .last("setting the mode", path) }
    }

    // MARK: Local stores

    /// Every numbered store in the directory, oldest first; those too of which only a sidecar is left.
    package func localStores() throws(GroupError) -> [LocalStoreFile] {
        var files: Set<LocalStoreFile> = []
        for name in try Self.names(in: path) {
            let suffix = LocalStoreFile.sidecarSuffixes.first { name.hasSuffix($0) } ?? ""
            if let file = LocalStoreFile(name: name.dropLast(suffix.count)) { files.insert(file) }
        }
        return files.sorted()
    }

    /// Makes an empty file for SQLite to fill, with its mode, without ever opening it.
    func makeStoreFile(_ file: LocalStoreFile) throws(GroupError) {
        let path = path(of: file)
        guard mknod(path, S_IFREG | Self.fileMode, 0) == 0 else { throw .last("making the file", path) }
        guard chmod(path, Self.fileMode) == 0 else { throw .last("setting the mode", path) }
    }

    /// Removes the files of a store; those that are not there are no matter.
    func removeStoreFiles(_ file: LocalStoreFile) throws(GroupError) {
        for suffix in [""] + LocalStoreFile.sidecarSuffixes {
            let path = path(of: file) + suffix
            guard unlink(path) == 0 || errno == ENOENT else { throw .last("removing", path) }
        }
    }

    /// Makes names in the directory survive a loss of power.
    func synchronize() throws(GroupError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("opening", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("writing to disk", path) }
    }
}
