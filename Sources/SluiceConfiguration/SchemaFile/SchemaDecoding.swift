import Foundation
import SluiceSchema
import SluiceStore

extension SchemaFile {
    /// The version that a parsed file is; nil, with faults in the log, if it is none.
    static func decode(_ root: YAMLNode, log: FaultLog) -> VersionFile? {
        guard let section = Section<SchemaKey>(root, name: "", log: log) else { return nil }
        let folder = URL(filePath: log.file).deletingLastPathComponent().lastPathComponent
        let name = section.value(.schema, .fileName) ?? folder
        let version = version(section)
        guard let node = section[.entities] else {
            section.reportMissing(.entities, expected: "a mapping of entities by name")
            return nil
        }
        var decoder = EntityDecoder(log: log)
        let entities = (log.entries(node, expected: "a mapping of entities by name") ?? []).compactMap { decoder.entity($0) }
        var migration = MigrationDecoder(log: log)
        let stage = section[.migration].flatMap { migration.stage($0) }
        guard let version, log.faults.isEmpty else { return nil }
        do throws(SchemaError) {
            let schema = try Schema(name: name, version: version, validating: entities)
            return VersionFile(
                file: log.file, release: SchemaRelease(schema, stage: stage), properties: decoder.positions, stage: migration.positions)
        } catch {
            for fault in error.faults {
                log.add(decoder.position(of: fault) ?? node.position, found: "a contradiction (\(fault))", expected: "a sound schema")
            }
            return nil
        }
    }

    private static func version(_ section: Section<SchemaKey>) -> SchemaVersion? {
        if section[.version] != nil { return section.value(.version, .schemaVersion) }
        let version = SchemaVersion(ConfigurationFile.stem(section.log.file))
        if version == nil { section.reportMissing(.version, expected: "a number such as 1.0.0, or a file that is named so") }
        return version
    }
}

extension ScalarKind where Value == SchemaVersion {
    fileprivate static var schemaVersion: ScalarKind { ScalarKind(expectation: "three numbers such as 1.0.0") { SchemaVersion($0) } }
}

extension EntityDecoder {
    /// Where that stands which a fault is about: a property, else its entity.
    fileprivate func position(of fault: SchemaFault) -> Position? {
        switch fault {
        case .emptyName(let entity), .duplicateEntity(let entity), .inheritanceCycle(let entity), .unknownSuperentity(_, let entity),
            .unknownProperty(_, _, let entity), .toManyInConstraint(_, let entity):
            position(entity)
        // The place is an entity, or the schema where an entity has the name.
        case .reservedName(let name, let place): position(place, name) ?? position(name)
        case .duplicateProperty(let property, let entity), .unknownDestination(_, let property, let entity),
            .inverseMissing(_, let property, let entity), .inverseDisagrees(let property, let entity),
            .defaultDoesNotFit(let property, let entity), .optionalIdentity(let property, let entity):
            position(entity, property) ?? position(entity)
        }
    }
}
