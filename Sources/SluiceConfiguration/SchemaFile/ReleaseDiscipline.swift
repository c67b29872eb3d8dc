import Foundation
package import SluiceSchema
import SluiceStore

/// Compares the released versions of a schema with what was released, and with the one that is to come.
package struct ReleaseDiscipline: Sendable {
    /// The folder of released versions.
    private let folder: String
    /// Its versions, the oldest first.
    package let released: [VersionFile]
    package private(set) var faults: [ConfigurationFault] = []
    private var sums: ReleasedSums
    private var sumsPath: String { "\(folder)/\(ReleasedSums.fileName)" }

    /// - Parameters:
    ///   - current: a file or folder with the version that is to come; nil: the newest in the folder, as long as it is not noted as
    ///     released.
    ///   - isRecording: whether versions that are not noted yet are about to be.
    /// - Throws: `ConfigurationError` where a file is no schema or no list of sums.
    package init(released folder: String, current: String? = nil, isRecording: Bool = false) throws(ConfigurationError) {
        self.folder = folder
        released = try SchemaFile.readEach(folder)
        sums = try ReleasedSums(readingFrom: "\(folder)/\(ReleasedSums.fileName)")
        var files = released
        if let current {
            let isFolder = ConfigurationFile.isDirectory(current)
            guard let newest = try isFolder ? SchemaFile.readEach(current).last : SchemaFile.read(current) else { return }
            if let twin = released.first(where: { $0.release.schema.version == newest.release.schema.version }) {
                compare(newest, with: twin)
            } else {
                files.append(newest)
            }
        }
        faults += VersionFile.faults(of: files)
        let coming = isRecording ? released : current == nil ? released.suffix(1) : []
        try checkSums(notYetReleased: Set(coming.map(\.file)))
    }

    /// A version of the same number has to be the same. What leads to it only files say.
    private mutating func compare(_ current: VersionFile, with released: VersionFile) {
        guard !current.release.schema.isSameShape(as: released.release.schema) else { return }
        let version = current.release.schema.version
        faults.append(
            ConfigurationFault(
                file: current.file, position: .top, found: "another shape than that of the released version \(version) (\(released.file))",
                expected: "a higher version for the new shape"))
    }

    private mutating func checkSums(notYetReleased coming: Set<String>) throws(ConfigurationError) {
        for file in released {
            let version = file.release.schema.version
            let sum: ReleasedSums.Sum
            do { sum = try ReleasedSums.Sum(file.release) } catch {
                throw ConfigurationError(file.file, .top, found: "a shape without a canonical form (\(error))", expected: "a sound schema")
            }
            guard let noted = sums.sums[version] else {
                if !coming.contains(file.file) {
                    add(
                        file.file, .top, "a released version that \(sumsPath) does not know",
                        "`sluice schema check --record` when it is released")
                }
                continue
            }
            if noted.shape != sum.shape {
                add(
                    file.file, .top, "another shape than version \(version) was released with",
                    "the released shape, and the change in a new file with a higher version")
            }
            if noted.stage != sum.stage {
                add(
                    file.file, file.stage[.stage] ?? .top, "another migration than version \(version) was released with",
                    "the released one, because some stores have gone through it; and what is missing in a new version")
            }
        }
        for version in sums.sums.keys.sorted() where !released.contains(where: { $0.release.schema.version == version }) {
            add(
                sumsPath, Position(line: sums.lines[version] ?? 1, column: 1), "version \(version), of which there is no file",
                "\(folder)/\(version).yaml, as long as there are stores of it")
        }
    }

    private mutating func add(_ file: String, _ position: Position, _ found: String, _ expected: String) {
        faults.append(ConfigurationFault(file: file, position: position, found: found, expected: expected))
    }

    /// Notes every version of the folder as released. Those that are noted stay what they were.
    /// - Returns: the versions that were not noted before.
    package mutating func record() throws -> [SchemaVersion] {
        let versions = released.map(\.release.schema.version).filter { sums.sums[$0] == nil }
        try sums.record(released.map(\.release))
        try Data(sums.text.utf8).write(to: URL(filePath: sumsPath), options: .atomic)
        return versions
    }
}
