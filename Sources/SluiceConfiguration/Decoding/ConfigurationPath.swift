import Foundation
import Glibc

/// Where the relative paths of one file begin, and what they may not leave.
///
/// They are resolved against the file, never against the working directory. The configuration's root is the file's directory, or the one
/// above it if that is `accounts.d`; a relative path that climbs out of the root is a fault, an absolute one may lead anywhere.
struct ConfigurationPlace {
    let directory: String
    let root: String

    init(file: String) {
        let url = URL(filePath: file).standardizedFileURL.deletingLastPathComponent()
        directory = url.path
        root = url.lastPathComponent == "accounts.d" ? url.deletingLastPathComponent().path : url.path
    }

    /// Nil if the path leads out.
    func resolve(_ path: String) -> String? {
        if path.hasPrefix("/") { return URL(filePath: path).standardizedFileURL.path }
        let resolved = URL(filePath: directory + "/" + path).standardizedFileURL.path
        let isInside = resolved == root || resolved.hasPrefix(root.hasSuffix("/") ? root : root + "/")
        return isInside ? resolved : nil
    }
}

/// What must be at a path before the program starts.
enum PathRequirement {
    case none
    case file
    case fileOrDirectory
    /// A file that nobody but its owner may read.
    case secret
}

extension FaultLog {
    /// The absolute path that a node names, checked.
    func path(_ node: YAMLNode, in place: ConfigurationPlace, _ requirement: PathRequirement) -> String? {
        guard let text = scalar(node, expected: "a path") else { return nil }
        guard !text.utf8.contains(0), let path = place.resolve(text) else {
            add(node.position, found: "`\(text)`, which leads out of \(place.root)", expected: "a path inside it, or an absolute one")
            return nil
        }
        guard requirement != .none else { return path }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            add(node.position, found: "`\(text)`, but there is no \(path) (\(reason))", expected: "a file that exists")
            return nil
        }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        if isDirectory, requirement != .fileOrDirectory {
            add(node.position, found: "`\(text)`, which is a directory", expected: "a file")
            return nil
        }
        if requirement == .secret, status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            add(node.position, found: "`\(text)` with mode \(mode), which others may read", expected: "a secret of mode 600 or 400")
            return nil
        }
        return path
    }
}

extension Section {
    func path(_ key: Key, in place: ConfigurationPlace, _ requirement: PathRequirement) -> String? {
        self[key].flatMap { log.path($0, in: place, requirement) }
    }

    func requiredPath(_ key: Key, in place: ConfigurationPlace, _ requirement: PathRequirement) -> String? {
        if self[key] == nil { reportMissing(key, expected: "a path") }
        return path(key, in: place, requirement)
    }
}
