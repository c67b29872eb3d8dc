// The file form of a schema; `Config/schemas/shopping/1.0.0.yaml` explains each key. `yaml(for:)` writes every schema so that `load` reads
// the same value back. Two things have no spelling: a default of null reads as no default, and the payload of a NaN is dropped.

package import SluiceSchema

/// Versioned schemas as files: one file per version, in a folder named after the schema.
package enum SchemaFile {
    /// Reads one version. Its name and number are what the file says, else the names of its folder and of itself.
    package static func load(_ file: String) throws(ConfigurationError) -> Schema { try read(file).release.schema }

    /// Reads one version with what leads to it. The expressions of a stage are not looked at: they mean something beside the version before
    /// only.
    package static func read(_ file: String) throws(ConfigurationError) -> VersionFile {
        let log = FaultLog(file: file)
        let version = decode(try ConfigurationFile.read(file), log: log)
        guard let version, log.faults.isEmpty else { throw log.error }
        return version
    }

    /// Reads a file, or every version in a directory, the oldest first.
    ///
    /// Versions of one schema share a name, differ in number and in shape, and each can be reached from the one before: a store can go
    /// through all of them. A file by itself is the one version that is known; what leads to it is left out.
    package static func loadVersions(_ path: String) throws(ConfigurationError) -> [SchemaRelease] {
        guard ConfigurationFile.isDirectory(path) else { return [SchemaRelease(try load(path))] }
        return try readVersions(path).map(\.release)
    }

    /// Every version in a directory, the oldest first.
    package static func readVersions(_ directory: String) throws(ConfigurationError) -> [VersionFile] {
        let files = try readEach(directory)
        let faults = VersionFile.faults(of: files)
        guard faults.isEmpty else { throw ConfigurationError(faults) }
        return files
    }

    /// The same without asking whether they fit together: where one is missing nothing can be said of those around it.
    static func readEach(_ directory: String) throws(ConfigurationError) -> [VersionFile] {
        let paths = try ConfigurationFile.list(directory)
        guard !paths.isEmpty else {
            throw ConfigurationError(directory, .top, found: "no schema file", expected: "at least one, named like 1.0.0.yaml")
        }
        var files: [VersionFile] = []
        var faults: [ConfigurationFault] = []
        for path in paths {
            do throws(ConfigurationError) { files.append(try read(path)) } catch { faults += error.faults }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
        return files.sorted { $0.release.schema.version < $1.release.schema.version }
    }
}
