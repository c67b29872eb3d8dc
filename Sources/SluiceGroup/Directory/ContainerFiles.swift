// What lies in a group container: numbered stores with their sidecars, the pointer, and the folder of large values. A container that was
// copied here, or that somebody changed by hand, gets its modes and its group back when the coordinator starts.
//
// Nothing is opened: closing any descriptor of a store file would drop SQLite's locks on it.

package import Glibc
package import SluiceReader

extension GroupDirectory {
    /// Helpers read files, and enter folders.
    package static let fileMode: mode_t = 0o640
    package static let folderMode: mode_t = 0o2750
    /// Large values of projected rows.
    package static let externalFolderName = ".Local_SUPPORT"

    /// Whether a file of that name, directly in the container, is for helpers to read.
    package static func isForHelpers(_ name: String) -> Bool {
        if name == LocalStoreFile.pointerName { return true }
        let suffix = LocalStoreFile.sidecarSuffixes.first { name.hasSuffix($0) } ?? ""
        return LocalStoreFile(name: name.dropLast(suffix.count)) != nil
    }

    /// Sets owner group and modes of everything that helpers read.
    /// - Throws: `GroupError` for what belongs to another user, or is no file or folder.
    func setContentModes(group: gid_t?) throws(GroupError) {
        for name in try Self.names(in: path) where Self.isForHelpers(name) { try setModes("\(path)/\(name)", group: group) }
        let external = "\(path)/\(Self.externalFolderName)"
        if access(external, F_OK) == 0 { try setModes(external, group: group) }
    }

    private func setModes(_ path: String, group: gid_t?) throws(GroupError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // A store that nobody needs any more may go at any time.
            if errno == ENOENT { return }
            throw .last("looking at", path)
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else { throw .notAFile(path: path) }
        guard status.st_uid == geteuid() else { throw .ownedByAnother(path: path, user: status.st_uid) }
        if let group, status.st_gid != group, chown(path, uid_t.max, group) != 0, errno != ENOENT { throw .last("setting the group", path) }
        let mode = kind == S_IFDIR ? Self.folderMode : Self.fileMode
        // After chown, which clears the setgid bit.
        if group.map({ $0 != status.st_gid }) ?? false || status.st_mode & 0o7777 != mode, chmod(path, mode) != 0, errno != ENOENT {
            throw .last("setting the mode", path)
        }
        guard kind == S_IFDIR else { return }
        for name in try Self.names(in: path) { try setModes("\(path)/\(name)", group: group) }
    }

    /// Names in a directory, without itself and its parent.
    package static func names(in path: String) throws(GroupError) -> [String] {
        guard let directory = opendir(path) else { throw .last("listing", path) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
