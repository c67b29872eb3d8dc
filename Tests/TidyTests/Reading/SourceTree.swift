import Foundation

/// The checkout that these tests stand in, read as text.
enum SourceTree {
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file below `Sources`, by path.
    static let sources: [SourceText] = swiftFiles(below: "Sources")

    /// Every Swift file below `Tests`, these rules excepted: they spell what they forbid.
    static let tests: [SourceText] = swiftFiles(below: "Tests").filter { !$0.path.hasPrefix("Tests/TidyTests/") }

    /// The pages that people read, by path.
    static let pages: [String] = files(below: ".").filter { path in
        path.hasSuffix(".md") && (!path.contains("/") || path.hasPrefix("Docs/") || path.hasPrefix("Deploy/"))
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Paths relative to the root, sorted; what git does not keep (the build folder) is left out.
    static func files(below folder: String) -> [String] {
        let start = folder == "." ? root : root.appending(path: folder)
        let prefix = root.path + "/"
        guard let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: [.isRegularFileKey]) else { return [] }
        var found: [String] = []
        for case let url as URL in walk {
            if [".build", ".git"].contains(url.lastPathComponent) { walk.skipDescendants() }
            if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true, url.path.hasPrefix(prefix) {
                found.append(String(url.path.dropFirst(prefix.count)))
            }
        }
        return found.sorted()
    }

    private static func swiftFiles(below folder: String) -> [SourceText] {
        files(below: folder).filter { $0.hasSuffix(".swift") }.compactMap { path in
            (try? text(path)).map { SourceText(path: path, text: $0) }
        }
    }
}
