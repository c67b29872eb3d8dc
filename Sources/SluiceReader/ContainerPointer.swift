// defaults.json, the one file of a group container that is replaced as a whole:
//
//     {"file":"Local.3.store","format":1,"generation":12,"lastSyncMilliseconds":1771416482061,"schemaVersion":"1.0.0","state":"current"}
//
// `values` are shared defaults, set by people and programs of the account's user (SharedDefaults); they come from the synced store's settings.
// `freshness`, where rules say so, names by entity the milliseconds after which its rows should be called stale.
// `state` is `preparing` (no store yet), `current`, or `migrating` with `stage`, `stageCount` and `stageName` beside it. The file decides
// which store is read; everything else in it is a hint: generation and freshness are read inside the store.

package import FoundationEssentials
import SluiceJSON

/// What `defaults.json` says.
package struct ContainerPointer: Hashable, Sendable {
    package static let format = 1

    package var file: LocalStoreFile?
    package var state: State
    package var schemaVersion: String?
    package var generation: Int64
    package var lastSync: Date?
    /// What helpers and shells are told besides rows, by key.
    package var values: [String: SharedValue] = [:]
    /// Milliseconds by entity.
    package var freshness: [String: Int64] = [:]

    package enum State: Hashable, Sendable {
        case preparing
        case current
        case migrating(MigrationProgress)
    }

    package init(
        file: LocalStoreFile?, state: State, schemaVersion: String? = nil, generation: Int64 = 0, lastSync: Date? = nil
    ) {
        self.file = file
        self.state = state
        self.schemaVersion = schemaVersion
        self.generation = generation
        self.lastSync = lastSync
    }
}

/// How far a migration of the synced store has come.
public struct MigrationProgress: Hashable, Sendable {
    /// From 1.
    public let stage: Int
    public let stageCount: Int
    public let stageName: String

    public init(stage: Int, of stageCount: Int, named stageName: String) {
        self.stage = stage
        self.stageCount = stageCount
        self.stageName = stageName
    }
}

extension ContainerPointer {
    /// What the file says of the store, read without a decoder: a helper reads it each time it starts. Shared defaults are left out. nil where
    /// the decoder has to say what is wrong with it.
    init?(reading bytes: Data) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes), case .integer(1) = object["format"],
            case .integer(let generation) = object["generation"], case .string("current") = object["state"],
            case .string(let name) = object["file"], let file = LocalStoreFile(name: name)
        else { return nil }
        self.init(file: file, state: .current, generation: generation)
        if case .string(let version) = object["schemaVersion"] { schemaVersion = version }
        if case .integer(let milliseconds) = object["lastSyncMilliseconds"] { lastSync = Date(milliseconds: milliseconds) }
        guard case .object(let ages) = object["freshness"] else { return }
        for (entity, age) in ages.members {
            if case .integer(let milliseconds) = age { freshness[entity] = milliseconds }
        }
    }
}

extension ContainerPointer: Codable {
    private enum Key: String, CodingKey {
        case format, file, state, stage, stageCount, stageName, schemaVersion, generation, lastSyncMilliseconds, freshness, values
    }

    /// The format is newer than this program.
    struct NewerFormat: Error { let format: Int }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.format else { throw NewerFormat(format: format) }
        if let name = try container.decodeIfPresent(String.self, forKey: .file) {
            guard let file = LocalStoreFile(name: name) else {
                throw DecodingError.dataCorruptedError(forKey: .file, in: container, debugDescription: "no name of a local store")
            }
            self.file = file
        }
        switch try container.decode(String.self, forKey: .state) {
        case "preparing": state = .preparing
        case "current": state = .current
        case "migrating":
            state = .migrating(
                MigrationProgress(
                    stage: try container.decode(Int.self, forKey: .stage), of: try container.decode(Int.self, forKey: .stageCount),
                    named: try container.decode(String.self, forKey: .stageName)))
        default: throw DecodingError.dataCorruptedError(forKey: .state, in: container, debugDescription: "no state of this format")
        }
        schemaVersion = try container.decodeIfPresent(String.self, forKey: .schemaVersion)
        generation = try container.decode(Int64.self, forKey: .generation)
        lastSync = try container.decodeIfPresent(Int64.self, forKey: .lastSyncMilliseconds).map(Date.init(milliseconds:))
        freshness = try container.decodeIfPresent([String: Int64].self, forKey: .freshness) ?? [:]
        values = try container.decodeIfPresent([String: SharedValue].self, forKey: .values) ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.format, forKey: .format)
        try container.encodeIfPresent(file?.name, forKey: .file)
        switch state {
        case .preparing: try container.encode("preparing", forKey: .state)
        case .current: try container.encode("current", forKey: .state)
        case .migrating(let progress):
            try container.encode("migrating", forKey: .state)
            try container.encode(progress.stage, forKey: .stage)
            try container.encode(progress.stageCount, forKey: .stageCount)
            try container.encode(progress.stageName, forKey: .stageName)
        }
        try container.encodeIfPresent(schemaVersion, forKey: .schemaVersion)
        try container.encode(generation, forKey: .generation)
        try container.encodeIfPresent(lastSync?.milliseconds, forKey: .lastSyncMilliseconds)
        if !values.isEmpty { try container.encode(values, forKey: .values) }
        if !freshness.isEmpty { try container.encode(freshness, forKey: .freshness) }
    }
}

extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Since 1970, rounded.
    package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}
