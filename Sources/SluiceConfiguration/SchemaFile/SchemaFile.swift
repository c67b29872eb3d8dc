// The file form of a schema; `Config/schemas/shopping/1.0.0.yaml` explains each key. `yaml(for:)` writes every schema so that `load` reads
// the same value back. Two things have no spelling: a default of null reads as no default, and the payload of a NaN is dropped.

package import SluiceSchema

/// Versioned schemas as files: one file per version, in a folder named after the schema.
package enum SchemaFile {
    /// Reads one version. Its name and number are what the file says, else the names of its folder and of itself.
    package static func load(_ file: String) throws(ConfigurationError) -> Schema {
        let log = FaultLog(file: file)
        let schema = decode(try ConfigurationFile.read(file), log: log)
        guard let schema, log.faults.isEmpty else { throw log.error }
        return schema
    }

    /// Reads a file, or every version in a directory, the oldest first. Versions of one schema share a name and differ in number.
    package static func loadVersions(_ path: String) throws(ConfigurationError) -> [Schema] {
        let files = ConfigurationFile.isDirectory(path) ? try ConfigurationFile.list(path) : [path]
        guard !files.isEmpty else {
            throw ConfigurationError(path, .top, found: "no schema file", expected: "at least one, named like 1.0.0.yaml")
        }
        var versions: [Version] = []
        var faults: [ConfigurationFault] = []
        for file in files {
            do throws(ConfigurationError) {
                versions.append(Version(file: file, schema: try load(file)))
            } catch {
                faults += error.faults
            }
        }
        for (index, version) in versions.enumerated() { faults += version.disagreements(with: versions[..<index]) }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
        return versions.map(\.schema).sorted { $0.version < $1.version }
    }

    private struct Version {
        let file: String
        let schema: Schema

        func disagreements(with earlier: ArraySlice<Version>) -> [ConfigurationFault] {
            var faults: [ConfigurationFault] = []
            if let first = earlier.first, schema.name != first.schema.name {
                faults.append(
                    ConfigurationFault(
                        file: file, position: .top, found: "schema `\(schema.name)`",
                        expected: "`\(first.schema.name)`, as in \(first.file)"))
            }
            if let twin = earlier.first(where: { $0.schema.version == schema.version }) {
                faults.append(
                    ConfigurationFault(
                        file: file, position: .top, found: "version \(schema.version), which \(twin.file) has too",
                        expected: "another number"))
            }
            return faults
        }
    }
}
