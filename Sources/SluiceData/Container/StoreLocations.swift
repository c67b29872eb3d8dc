package import Foundation

/// Where stores lie when nobody says otherwise. The surroundings are read once for each configuration, never deeper down.
package struct StoreLocations: Sendable {
    package var variables: [String: String]
    /// The application's identifier where it has one, else its executable's name.
    package var application: String
    package var home: String

    package init(variables: [String: String], application: String, home: String) {
        self.variables = variables
        self.application = application
        self.home = home
    }

    /// This process's.
    package static var current: StoreLocations {
        let process = ProcessInfo.processInfo
        let executable = Bundle.main.executableURL?.lastPathComponent ?? process.processName
        return StoreLocations(
            variables: process.environment, application: Bundle.main.bundleIdentifier ?? executable,
            home: FileManager.default.homeDirectoryForCurrentUser.path)
    }

    /// `$XDG_DATA_HOME`, else `~/.local/share`. A relative path there is invalid and ignored (XDG Base Directory Specification).
    private var dataDirectory: String {
        if let path = variables["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
        return (variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home) + "/.local/share"
    }

    /// A store of this application's.
    package func storeURL(named name: String) -> URL {
        URL(filePath: dataDirectory).appending(path: application, directoryHint: .isDirectory)
            .appending(path: "\(name).store", directoryHint: .notDirectory)
    }

    /// The directory of a group container, whether or not it exists; nil for a name that no group can have.
    ///
    /// It is found as the coordinator and its helpers find it: where systemd made it, else the user's own, else the system's where only
    /// that exists.
    package func groupDirectory(named group: String) -> URL? {
        guard Self.isFileName(group) else { return nil }
        let directories = groupsDirectories.map { URL(filePath: $0).appending(path: group, directoryHint: .isDirectory) }
        return directories.first { FileManager.default.fileExists(atPath: $0.path) } ?? directories.first
    }

    private var groupsDirectories: [String] {
        // systemd lists the directories it made, with colons between them.
        let made = variables["STATE_DIRECTORY"]?.split(separator: ":").first { $0.split(separator: "/").last == "sluice-groups" }
        if let made { return [String(made)] }
        return ["\(dataDirectory)/sluice/groups", "/var/lib/sluice-groups"]
    }

    /// Whether a file can have that name, and lies in the directory it is looked for in.
    static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
    }
}
