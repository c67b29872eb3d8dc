import Foundation

extension ModelConfiguration {
    /// The longest name of a file, and the longest path that SQLite opens, in bytes.
    private static let fileNameBytesMax = 255
    private static let pathBytesMax = 512
    /// SQLite makes files beside the store that are called like it and more.
    private static let longestSuffix = "-journal"

    /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`, `.configurationFileNameTooLong`, or
    ///   `.invalidConfiguration` for a URL that is no file's and for an empty or impossible name of a group or container.
    public func validate() throws {
        if let group = groupContainer.identifier, !StoreLocations.isFileName(group) {
            throw SwiftDataError.invalidConfiguration.because(
                "configuration \(name): \"\(group)\" cannot name a group; it is a directory's name")
        }
        if cloudKitContainerIdentifier?.isEmpty == true {
            throw SwiftDataError.invalidConfiguration.because(
                "configuration \(name): .private needs the name of the account's container; .none says that the store does not sync")
        }
        if isStoredInMemoryOnly { return }
        guard url.isFileURL else {
            throw SwiftDataError.invalidConfiguration.because("configuration \(name): \(url.absoluteString) is no file; give a file URL")
        }
        let isFile = StoreLocations.isFileName(url.lastPathComponent) && !url.hasDirectoryPath
        guard isFile, hasCustomURL || StoreLocations.isFileName(name), !url.path.contains("\0") else {
            throw SwiftDataError.configurationFileNameContainsInvalidCharacters.because(
                "\"\(hasCustomURL ? url.path : name)\" has no place for a store; a name has no slash and no control character")
        }
        let extra = Self.longestSuffix.utf8.count
        guard url.lastPathComponent.utf8.count + extra <= Self.fileNameBytesMax, url.path.utf8.count + extra <= Self.pathBytesMax else {
            throw SwiftDataError.configurationFileNameTooLong.because(
                "\(url.path): with \(Self.longestSuffix) behind it, a name has at most \(Self.fileNameBytesMax) bytes "
                    + "and a path \(Self.pathBytesMax)")
        }
    }

    /// Checks each configuration, and that no two are one store.
    /// - Throws: what `validate()` throws, or `SwiftDataError.duplicateConfiguration`.
    package static func validate(_ configurations: [ModelConfiguration]) throws {
        var byFile: [String: ModelConfiguration] = [:]
        var byName: [String: ModelConfiguration] = [:]
        for configuration in configurations {
            try configuration.validate()
            // Stores in memory have no file, and need no name.
            if configuration.isStoredInMemoryOnly, configuration.name == defaultName { continue }
            if let other = byName.updateValue(configuration, forKey: configuration.name) {
                throw SwiftDataError.duplicateConfiguration.because(
                    "\(configuration.debugDescription) and \(other.debugDescription) have the same name; give each its own")
            }
            if configuration.isStoredInMemoryOnly { continue }
            let file = configuration.url.standardizedFileURL.resolvingSymlinksInPath().path
            if let other = byFile.updateValue(configuration, forKey: file) {
                throw SwiftDataError.duplicateConfiguration.because(
                    "configurations \(configuration.name) and \(other.name) both keep their models in \(configuration.url.path); "
                        + "give each a file of its own")
            }
        }
    }

    /// - Throws: `SwiftDataError.configurationSchemaNotFoundInContainerSchema`, naming the models.
    package func checkSchema(against container: Schema) throws {
        let missing = (schema?.entities ?? []).map(\.name).filter { container.entitiesByName[$0] == nil }
        guard missing.isEmpty else {
            throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.because(
                "configuration \(name) lists \(missing.joined(separator: ", ")); name them when the container is made")
        }
    }
}
