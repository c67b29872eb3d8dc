import Foundation
import SluiceSchema
import Testing

@testable import SluiceConfiguration

/// The `legacy` section of an account file.
@Suite struct LegacySectionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("schemas/shopping/1.0.0.yaml", sample("schemas/shopping/1.0.0.yaml"))
    }

    private func load(_ legacy: String) throws -> AccountConfiguration {
        let text = """
            service: {url: "https://records.example", container: shop}
            schema: {path: ../schemas/shopping}
            local: {group: shop}
            legacy:

            """
        return try AccountConfiguration.load(
            folder.write("accounts.d/ann.yaml", text + legacy), ConfigurationEnvironment(variables: ["HOME": "/home/ann"]))
    }

    @Test func `sources keep their order, kind and mapping`() throws {
        try folder.write(
            "legacy/mapping.yaml", "mapping:\n  Thing:\n    name: ShoppingItem\n    properties: {label: name}\n  Junk:\n    omit: unused\n")
        let account = try load(
            """
              sources:
                - {path: /old/one.sqlite, mapping: ../legacy/mapping.yaml}
                - {path: /old/two.jsonl, kind: json}
            """)
        #expect(account.legacy.sources.map(\.path) == ["/old/one.sqlite", "/old/two.jsonl"])
        #expect(account.legacy.sources.map(\.kind) == [.auto, .json])
        let mapping = try #require(account.legacy.sources[0].mapping)
        #expect(mapping.file == folder.path + "/legacy/mapping.yaml")
        #expect(mapping.entities["Thing"]?.name?.text == "ShoppingItem" && mapping.entities["Junk"]?.omission?.text == "unused")
        #expect(account.legacy.sources[1].mapping == nil)
    }

    @Test func `a source twice, an unknown kind, a mapping that is not there and one with faults are told together`() throws {
        try folder.write("legacy/mapping.yaml", "mapping:\n  Thing:\n    name: ShopingItem\n")
        let error = #expect(throws: ConfigurationError.self) {
            try load(
                """
                  sources:
                    - {path: /old/one.sqlite, mapping: ../legacy/mapping.yaml}
                    - {path: /old/two.sqlite, kind: jsn, mapping: none.yaml}
                    - {path: /old/../old/one.sqlite}
                """)
        }
        let faults = error?.faults.map { "\(URL(filePath: $0.file).lastPathComponent):\($0.line):\($0.column) \($0.found) \($0.suggestion ?? "")" } ?? []
        #expect(faults.count == 4, "\(faults)")
        #expect(faults.contains("ann.yaml:7:37 `jsn` json"))
        #expect(faults.contains { $0.hasPrefix("ann.yaml:7:51 `none.yaml`, but there is no ") })
        #expect(faults.contains("ann.yaml:8:14 /old/one.sqlite again (first on line 6) "))
        #expect(faults.contains("mapping.yaml:3:11 entity `ShopingItem` ShoppingItem"))
    }

    @Test func `a source in the state directory of any account is refused with its place`() throws {
        func account(_ name: String, _ source: String) throws {
            try folder.write(
                "accounts.d/\(name).yaml",
                """
                service: {url: "https://records.example", container: shop}
                schema: {path: ../schemas/shopping}
                synced: {stateDirectory: "\(folder.path)/state/\(name)"}
                local: {group: "\(name)"}
                legacy: {sources: [{path: "\(source)"}]}
                """)
        }
        try account("ann", "/old/one.sqlite")
        try account("bob", folder.path + "/state/annette/Private.store")
        let environment = ConfigurationEnvironment(variables: ["HOME": "/home/ann"])
        #expect(ConfigurationCheck.run([folder.path + "/accounts.d"], environment).faults == [])
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.path + "/state")
        for source in [folder.path + "/state/ann/Private.store", folder.path + "/state/bob/x", folder.path + "/link/ann/Private.store"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/state/ann", withIntermediateDirectories: true)
            try account("bob", source)
            let faults = ConfigurationCheck.run([folder.path + "/accounts.d"], environment).faults
            #expect(faults.count == 1 && faults.first?.line == 5 && faults.first?.column == 27, "\(faults)")
            #expect(faults.first?.found.hasPrefix("\(source), in the state directory of") == true)
        }
    }
}
