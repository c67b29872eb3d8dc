// A mapping file says what a legacy store's names become; `Config/legacy/mapping.yaml` explains each key. Whether its words mean anything in
// the store shows when that is read; whether they lead to names of the account's schema shows here.

import Foundation
import SluiceNotation
package import SluiceSchema

/// Reading of mapping files.
package enum MappingFile {
    /// - Throws: every fault of the file.
    package static func load(_ file: String) throws(ConfigurationError) -> LegacyMapping {
        let file = URL(filePath: file).standardizedFileURL.path
        let log = FaultLog(file: file)
        let root = try ConfigurationFile.read(file)
        var entities: [String: LegacyMapping.Entity] = [:]
        if let section = Section<MappingKey>(root, name: "", log: log) {
            if section[.mapping] == nil { section.reportMissing(.mapping, expected: "a mapping of the legacy store's entities by name") }
            let entries = section[.mapping].flatMap { log.entries($0, expected: "a mapping of the legacy store's entities by name") }
            for entry in entries ?? [] { entities[entry.key] = entity(entry, log) }
        }
        guard log.faults.isEmpty else { throw log.error }
        return LegacyMapping(file: file, entities: entities)
    }

    private static func entity(_ entry: YAMLNode.Entry, _ log: FaultLog) -> LegacyMapping.Entity? {
        guard let section = Section<MappedEntityKey>(entry.value, name: entry.key, log: log) else { return nil }
        for key in [MappedEntityKey.name, .identity, .properties] { section.refuse(key, beside: .omit) }
        var properties: [String: LegacyMapping.Property] = [:]
        for property in section[.properties].flatMap({ log.entries($0, expected: "a mapping of properties by name") }) ?? [] {
            properties[property.key] = self.property(property, log)
        }
        return LegacyMapping.Entity(
            LegacyMapping.Word(entry.key, at: entry.position), name: section.word(.name, .text), omission: section.word(.omit, .reason),
            identity: section.word(.identity, .text), properties: properties)
    }

    /// `old: new`, or a mapping with `name`, `type` or `omit`.
    private static func property(_ entry: YAMLNode.Entry, _ log: FaultLog) -> LegacyMapping.Property? {
        let source = LegacyMapping.Word(entry.key, at: entry.position)
        if case .scalar(let text) = entry.value.content, !entry.value.isNothing {
            return LegacyMapping.Property(source, name: LegacyMapping.Word(text, at: entry.value.position))
        }
        guard let section = Section<MappedPropertyKey>(entry.value, name: entry.key, log: log) else { return nil }
        for key in [MappedPropertyKey.name, .type] { section.refuse(key, beside: .omit) }
        return LegacyMapping.Property(
            source, name: section.word(.name, .text), omission: section.word(.omit, .reason),
            type: section.value(.type, .choice(AttributeType.self)), typeWord: section.word(.type, .text))
    }

    /// Names that the mapping leads to and the schema does not have.
    static func faults(of mapping: LegacyMapping, into schema: Schema) -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        func add(_ word: LegacyMapping.Word, _ found: String, _ expected: String, _ known: [String]) {
            faults.append(
                ConfigurationFault(
                    file: mapping.file, position: Position(line: word.line, column: word.column), found: found, expected: expected,
                    suggestion: Spelling.nearest(to: word.text, in: known)))
        }
        for entry in mapping.entities.values where entry.omission == nil {
            let word = entry.name ?? entry.source
            guard let entity = schema.entity(named: word.text) else {
                add(word, "entity `\(word.text)`", "one of schema \(schema.name) \(schema.version)", schema.entities.map(\.name))
                continue
            }
            // A property may stand with a subentity here and with its parent there.
            let family = schema.lineage(of: entity) + schema.family(of: entity)
            let known = family.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
            for property in entry.properties.values where property.omission == nil {
                let word = property.name ?? property.source
                if !known.contains(word.text) { add(word, "property `\(word.text)`", "one of entity \(entity.name)", known) }
            }
        }
        return faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }
}

extension LegacyMapping.Word {
    fileprivate init(_ text: String, at position: Position) { self.init(text, line: position.line, column: position.column) }
}

extension Section {
    fileprivate func word(_ key: Key, _ kind: ScalarKind<String>) -> LegacyMapping.Word? {
        guard let node = self[key], let text = log.value(node, kind) else { return nil }
        return LegacyMapping.Word(text, at: node.position)
    }
}

extension ScalarKind where Value == String {
    /// Whoever reads the report a year later wants to know why.
    fileprivate static var reason: ScalarKind {
        ScalarKind(expectation: "the reason why it is left out, as text", read: { $0.allSatisfy(\.isWhitespace) || $0 == "true" ? nil : $0 })
    }
}
