import Foundation

/// The toolchain's compiler on a source that stands in a test, with the modules and the plug-in that this test run was built with.
enum Compiler {
    struct Verdict {
        let compiles: Bool
        let diagnostics: String
    }

    static func check(_ source: String, languageMode: String = "5") throws -> Verdict {
        let folder = try StoreFolder()
        let file = folder.url.appending(path: "Snippet.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let products = tests.deletingLastPathComponent()
        // As far as what flows between actors is diagnosed; type-checking alone does not look there.
        var arguments = ["-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", languageMode]
        arguments += ["-I", products.appending(path: "Modules").path]
        arguments += ["-load-plugin-executable", products.appending(path: "SluiceMacros-tool").path + "#SluiceMacros"]
        for map in try moduleMaps() { arguments += ["-Xcc", "-fmodule-map-file=\(map)"] }
        arguments.append(file.path)
        let child = try ChildProcess.attempt("swiftc", arguments)
        return Verdict(compiles: child.status == 0, diagnostics: child.output)
    }

    /// Of the C libraries that the modules are built on; the package manager hands them to clients by itself.
    private static func moduleMaps() throws -> [String] {
        let sources = SourceFolder.root.appending(path: "Sources")
        let libraries = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasPrefix("C") }.sorted()
        let maps = libraries.flatMap { ["\($0)/module.modulemap", "\($0)/include/module.modulemap"] }
        return maps.map { sources.appending(path: $0).path }.filter(FileManager.default.fileExists(atPath:))
    }
}

/// The checkout that these tests stand in.
enum SourceFolder {
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
