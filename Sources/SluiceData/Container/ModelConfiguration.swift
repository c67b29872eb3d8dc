public import Foundation

/// Where a container keeps models, and which.
///
///     let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration("Notes"))
///
/// Without a URL the store is `$XDG_DATA_HOME/<application>/<name>.store`, `default.store` where it has no name; the application is the
/// bundle's identifier or the executable's name. Making a configuration touches no file.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The store's file. A store in memory has the null device's.
    public let url: URL
    /// What the container and messages call it.
    public let name: String
    /// The group whose container holds the store, as it was given.
    public let groupContainer: GroupContainer
    /// The database at the record service, as it was given.
    public let cloudKitDatabase: CloudKitDatabase
    /// The models that belong to this store; nil means all that no other configuration lists.
    public var schema: Schema?
    /// False: the store is read, never written and never migrated.
    public let allowsSave: Bool
    /// Whether the store is gone when its container is.
    public let isStoredInMemoryOnly: Bool
    /// How much history the store keeps.
    public var historyRetention = HistoryRetention.standard

    /// Whether the file was given, rather than found by the name.
    package let hasCustomURL: Bool

    public var id: URL { url }

    /// The group whose container holds the store. `.automatic` finds none here: a process on this platform belongs to no group by itself.
    public var groupAppContainerIdentifier: String? { groupContainer.identifier }
    /// The container at the record service. `.automatic` finds none here. That it is set does not mean that anything syncs.
    public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }

    /// A store of the given name, or the application's default store.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.init(
            name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave, groupContainer: groupContainer,
            cloudKitDatabase: cloudKitDatabase, locations: .current)
    }

    /// A store in a file of your choice.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.url = url
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.allowsSave = allowsSave
        self.groupContainer = .none
        self.cloudKitDatabase = cloudKitDatabase
        isStoredInMemoryOnly = url.path == Self.nullDevice.path
        hasCustomURL = true
    }

    public init(isStoredInMemoryOnly: Bool = false) { self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly) }

    /// A store for the given models and what they relate to.
    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    package init(
        _ name: String?, schema: Schema?, isStoredInMemoryOnly: Bool, allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
        cloudKitDatabase: CloudKitDatabase = .automatic, locations: StoreLocations
    ) {
        let name = name ?? Self.defaultName
        let inGroup = groupContainer.identifier.flatMap(locations.groupDirectory)?
            .appending(path: "\(name).store", directoryHint: .notDirectory)
        url = isStoredInMemoryOnly ? Self.nullDevice : inGroup ?? locations.storeURL(named: name)
        self.name = name
        self.schema = schema
        self.allowsSave = allowsSave
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.groupContainer = groupContainer
        self.cloudKitDatabase = cloudKitDatabase
        hasCustomURL = false
    }

    package static let defaultName = "default"
    private static let nullDevice = URL(filePath: "/dev/null")

    public var debugDescription: String {
        let place = isStoredInMemoryOnly ? "in memory" : url.path
        let models = schema.map { ", \($0.entities.map(\.name).joined(separator: ", "))" } ?? ""
        return "ModelConfiguration(\(name): \(place)\(allowsSave ? "" : ", read only")\(models))"
    }
}
