import Foundation
import SluiceData
import Testing

@Suite struct ModelConfigurationTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID())").path

    private func locations(_ more: [String: String] = [:]) -> StoreLocations {
        StoreLocations(
            variables: ["XDG_DATA_HOME": folder].merging(more) { $1 }, application: "notes", home: "/nowhere/home")
    }

    private func configuration(_ name: String? = nil, group: ModelConfiguration.GroupContainer = .automatic, in locations: StoreLocations)
        -> ModelConfiguration
    {
        ModelConfiguration(name, schema: nil, isStoredInMemoryOnly: false, groupContainer: group, locations: locations)
    }

    @Test func `the default store lies in the application's data directory`() {
        #expect(configuration(in: locations()).url.path == "\(folder)/notes/default.store")
        #expect(configuration("Shopping", in: locations()).url.path == "\(folder)/notes/Shopping.store")
        #expect(
            configuration(in: locations(["XDG_DATA_HOME": "relative", "HOME": "/h"])).url.path == "/h/.local/share/notes/default.store")
        let bare = StoreLocations(variables: [:], application: "notes", home: "/nowhere/home")
        #expect(configuration(in: bare).url.path == "/nowhere/home/.local/share/notes/default.store")
        #expect(ModelConfiguration().url.lastPathComponent == "default.store" && ModelConfiguration().name == "default")
    }

    @Test func `a group's store lies in its container, found as the coordinator finds it`() throws {
        #expect(configuration("Shop", group: .identifier("g"), in: locations()).url.path == "\(folder)/sluice/groups/g/Shop.store")
        let made = locations(["STATE_DIRECTORY": "/var/lib/sluice:/var/lib/sluice-groups"])
        #expect(configuration(group: .identifier("g"), in: made).url.path == "/var/lib/sluice-groups/g/default.store")
        #expect(configuration(group: .none, in: made).url.path == "\(folder)/notes/default.store")
        #expect(ModelConfiguration(groupContainer: .identifier("g")).groupAppContainerIdentifier == "g")
        #expect(ModelConfiguration().groupAppContainerIdentifier == nil)
        for impossible in ["", ".", "..", "a/b", "../x", "a\0b", "a\nb"] {
            #expect(locations().groupDirectory(named: impossible) == nil)
            #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: impossible) == nil)
            #expect(throws: SwiftDataError.invalidConfiguration) {
                try configuration(group: .identifier(impossible), in: locations()).validate()
            }
        }
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "g")?.lastPathComponent == "g")
    }

    @Test func `a store in memory has the null device's URL`() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        #expect(memory.url.path == "/dev/null" && memory.isStoredInMemoryOnly && memory.allowsSave)
        #expect(ModelConfiguration(url: URL(filePath: "/dev/null")).isStoredInMemoryOnly)
        try memory.validate()
        #expect(ModelConfiguration(for: Shop.List.self, isStoredInMemoryOnly: true).schema?.entitiesByName["Item"] != nil)
    }

    @Test func `a configuration keeps what it was given, and its identifier is readable`() {
        let file = URL(filePath: "/tmp/a.store")
        let synced = ModelConfiguration("Notes", url: file, allowsSave: false, cloudKitDatabase: .private("iCloud.example.notes"))
        #expect(synced.id == file && synced.name == "Notes" && !synced.allowsSave)
        #expect(synced.cloudKitContainerIdentifier == "iCloud.example.notes")
        #expect(ModelConfiguration(url: file).name == "a")
        #expect(ModelConfiguration().cloudKitContainerIdentifier == nil)
        #expect(synced == ModelConfiguration("Notes", url: file, allowsSave: false, cloudKitDatabase: .private("iCloud.example.notes")))
        #expect(synced != ModelConfiguration("Notes", url: file, allowsSave: false, cloudKitDatabase: .none))
        #expect(throws: SwiftDataError.invalidConfiguration) { try ModelConfiguration(cloudKitDatabase: .private("")).validate() }
    }

    @Test func `names that no file can have are refused`() throws {
        for name in ["", "a/b", "a\0", "a\u{7}", "..", "/"] {
            #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters, "\(name)") {
                try configuration(name, in: locations()).validate()
            }
        }
        for name in ["Ünï code", "a.b", "-", ".hidden"] { try configuration(name, in: locations()).validate() }
        #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
            try ModelConfiguration(url: URL(filePath: "/tmp/folder/", directoryHint: .isDirectory)).validate()
        }
        #expect(throws: SwiftDataError.invalidConfiguration) {
            try ModelConfiguration(url: try #require(URL(string: "https://example.com/a.store"))).validate()
        }
    }

    @Test func `a name has room for SQLite's longest file beside it, and a path for what SQLite opens`() throws {
        let fits = String(repeating: "n", count: 255 - ".store".count - "-journal".count)
        try ModelConfiguration(url: URL(filePath: "/tmp/\(fits).store")).validate()
        #expect(throws: SwiftDataError.configurationFileNameTooLong) {
            try ModelConfiguration(url: URL(filePath: "/tmp/\(fits)n.store")).validate()
        }
        let deep = String(repeating: "/directory", count: 50) + "/12345"
        #expect(throws: SwiftDataError.configurationFileNameTooLong) {
            try ModelConfiguration(url: URL(filePath: deep + ".store")).validate()
        }
    }

    @Test func `two configurations of one name or one file are one too many`() throws {
        let (first, second) = (URL(filePath: "/tmp/a.store"), URL(filePath: "/tmp/b.store"))
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelConfiguration.validate([
                ModelConfiguration("A", url: first), ModelConfiguration("B", url: URL(filePath: "/tmp/x/../a.store")),
            ])
        }
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelConfiguration.validate([ModelConfiguration("A", url: first), ModelConfiguration("A", url: second)])
        }
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelConfiguration.validate([ModelConfiguration("A", isStoredInMemoryOnly: true), ModelConfiguration("A", url: second)])
        }
        try ModelConfiguration.validate([ModelConfiguration("A", url: first), ModelConfiguration("B", url: second)])
        try ModelConfiguration.validate([
            ModelConfiguration(for: Shop.List.self, isStoredInMemoryOnly: true),
            ModelConfiguration(for: Garage.Car.self, isStoredInMemoryOnly: true),
        ])
    }

    @Test func `models that the container does not have are named`() throws {
        let configuration = ModelConfiguration(for: Shop.List.self, isStoredInMemoryOnly: true)
        try configuration.checkSchema(against: ModelSchema([Shop.Item.self, Garage.Car.self]))
        let error = #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
            try configuration.checkSchema(against: ModelSchema([Garage.Car.self]))
        }
        #expect(error?.explanation?.contains("List, Item") == true)
    }
}
