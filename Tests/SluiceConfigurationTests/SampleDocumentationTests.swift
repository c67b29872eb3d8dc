import Foundation
import Testing

@testable import SluiceConfiguration

/// The samples are the only documentation of the keys: whatever key is known must stand in one, with a comment.
@Suite struct SampleDocumentationTests {
    private struct Documented {
        /// The names of the sections around it, outermost first.
        var path: [String]
        var isExplained: Bool
    }

    /// Every key of a sample by name, live or as `# key: …`, with the sections around it by indentation. A key is explained by a comment on
    /// the line above it or on its own.
    private func keys(of sample: String) -> [String: [Documented]] {
        var found: [String: [Documented]] = [:]
        var sections: [(indentation: Int, name: String)] = []
        var isExplained = false
        for line in sample.split(separator: "\n", omittingEmptySubsequences: false) {
            let indentation = line.prefix { $0 == " " || $0 == "-" }.count
            var text = line.dropFirst(indentation)
            let isComment = text.hasPrefix("# ")
            if isComment { text = text.dropFirst(2) }
            let name = text.prefix { $0.isLetter }
            guard text.dropFirst(name.count).first == ":", !name.isEmpty, !isComment || isExplained else {
                isExplained = isComment
                continue
            }
            while let last = sections.last, last.indentation >= indentation { sections.removeLast() }
            found[String(name), default: []].append(Documented(path: sections.map(\.name), isExplained: isExplained || line.contains("# ")))
            if !isComment { sections.append((indentation, String(name))) }
            isExplained = false
        }
        return found
    }

    private func expectDocumented<Key: SectionKey>(
        _ type: Key.Type, except others: Set<Key> = [], below path: [String], in file: String
    ) throws {
        let keys = keys(of: try sample(file))
        for key in Key.allCases where !others.contains(key) {
            let places = keys[key.rawValue]?.filter { path.isEmpty ? $0.path.isEmpty : path.allSatisfy($0.path.contains) } ?? []
            #expect(places.contains { $0.isExplained }, "\(file) does not explain \(path.joined(separator: ".")) \(key.rawValue)")
        }
    }

    @Test func `every key of an account is explained`() throws {
        let file = "accounts.d/sample.yaml"
        try expectDocumented(AccountKey.self, below: [], in: file)
        try expectDocumented(ServiceKey.self, below: ["service"], in: file)
        try expectDocumented(CredentialsKey.self, below: ["credentials"], in: file)
        try expectDocumented(SchemaSourceKey.self, below: ["schema"], in: file)
        try expectDocumented(SyncedKey.self, below: ["synced"], in: file)
        try expectDocumented(SyncedEntityKey.self, below: ["synced", "entities"], in: file)
        try expectDocumented(LocalKey.self, below: ["local"], in: file)
        try expectDocumented(ProjectionKey.self, below: ["local", "projections"], in: file)
        try expectDocumented(LegacyKey.self, below: ["legacy"], in: file)
        try expectDocumented(LegacySourceKey.self, below: ["legacy", "sources"], in: file)
        try expectDocumented(ScheduleKey.self, below: ["schedule"], in: file)
        try expectDocumented(RetentionKey.self, below: ["retention"], in: file)
    }

    @Test func `every key of a schema is explained`() throws {
        let file = "schemas/shopping/1.0.0.yaml"
        try expectDocumented(SchemaKey.self, except: [.migration], below: [], in: file)
        try expectDocumented(EntityKey.self, below: ["entities"], in: file)
        try expectDocumented(AttributeKey.self, below: ["attributes"], in: file)
        try expectDocumented(RelationshipKey.self, below: ["relationships"], in: file)
    }

    @Test func `every key of a migration is explained`() throws {
        let file = "schemas/tasks/2.0.0.yaml"
        try expectDocumented(SchemaKey.self, except: [.schema, .version, .entities], below: [], in: file)
        try expectDocumented(MigrationKey.self, below: ["migration"], in: file)
        try expectDocumented(MigrationEditKey.self, below: ["migration"], in: file)
    }

    @Test func `every key of a mapping is explained`() throws {
        let file = "legacy/mapping.yaml"
        try expectDocumented(MappingKey.self, below: [], in: file)
        try expectDocumented(MappedEntityKey.self, below: ["mapping"], in: file)
        try expectDocumented(MappedPropertyKey.self, below: ["properties"], in: file)
    }

    @Test func `every key of the record service is explained`() throws {
        let file = "sluice-records.yaml"
        try expectDocumented(RecordServiceKey.self, below: [], in: file)
        try expectDocumented(ListenKey.self, below: ["listen"], in: file)
        try expectDocumented(LimitsKey.self, below: ["limits"], in: file)
        try expectDocumented(RateKey.self, below: ["rate"], in: file)
        try expectDocumented(QuotaKey.self, below: ["quota"], in: file)
    }
}
