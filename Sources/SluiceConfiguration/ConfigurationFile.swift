import Foundation

/// Reading configuration files and the folders they lie in.
enum ConfigurationFile {
    static func read(_ file: String) throws(ConfigurationError) -> YAMLNode {
        do {
            return try YAMLReader.read(try Data(contentsOf: URL(filePath: file)), file: file)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(
                file, .top, found: "a file that cannot be read (\(reason(error)))", expected: "one that can")
        }
    }

    /// The YAML files of a folder by name.
    static func list(_ directory: String) throws(ConfigurationError) -> [String] {
        try contents(of: directory).filter { ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) && !isDirectory($0) }
    }

    /// The folders of a folder by name.
    static func folders(in directory: String) throws(ConfigurationError) -> [String] {
        try contents(of: directory).filter(isDirectory)
    }

    /// Hidden files are left out: they are editors' and package managers' leftovers.
    private static func contents(of directory: String) throws(ConfigurationError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { !$0.hasPrefix(".") }.sorted().map { "\(directory)/\($0)" }
        } catch {
            throw ConfigurationError(
                directory, .top, found: "a directory that cannot be read (\(reason(error)))",
                expected: "one that can")
        }
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// The file's name without folder and ending.
    static func stem(_ file: String) -> String { URL(filePath: file).deletingPathExtension().lastPathComponent }

    static func reason(_ error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "it does not exist"
        case .fileReadNoPermission: "this user may not read it"
        default: "\(error.localizedDescription)"
        }
    }
}
