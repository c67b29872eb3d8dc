import SluiceSQLite
package import SluiceSchema

/// A staged legacy store, whatever wrote it: its schema, its report, and its rows as a stream. Used on one executor.
package protocol LegacyFile: AnyObject {
    var store: StagedStore { get }
    /// Holds every row of the file.
    var schema: Schema { get }
    var report: ImportReport { get }
    /// Entities with rows of their own in the file's order.
    var entities: [String] { get }
    /// Values that the file has taken apart.
    var composites: [LegacyComposite] { get }
    /// Calls `body` with the entity's own rows (not its subentities'), in the file's order.
    func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws
    /// Calls `body` with every membership that no to-one holds.
    func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws
}

extension LegacyFile {
    package var composites: [LegacyComposite] { [] }
}

/// How a legacy file is read.
package struct LegacyFileOptions {
    package var schemaName: String
    /// Attribute by entity, as the imported schema calls them or the model: a UUID that names the records though the model does not say so.
    package var identities: [String: String]
    /// What is called otherwise, converted or left out.
    package var mapping: LegacyMapping?
    /// The schema that the rows are for, where it is known: a composite that is one codable attribute there is put together again.
    package var target: Schema?
    /// Bounds of what one batch holds; a single larger row is a batch of its own.
    package var batchRowCount = 500
    package var batchByteCount = 4 << 20

    package init(schemaName: String, identities: [String: String] = [:]) {
        self.schemaName = schemaName
        self.identities = identities
    }
}

extension LegacyKind {
    /// Opens a staged copy by its kind, with the mapping applied.
    /// - Throws: `ImportError`, `SQLiteError`.
    package static func open(_ store: StagedStore, options: LegacyFileOptions) throws -> any LegacyFile {
        var options = options
        for (entity, mapped) in options.mapping?.entities ?? [:] {
            if let identity = mapped.identity { options.identities[entity] = identity.text }
        }
        let file: any LegacyFile =
            switch try of(store) {
            case .coreData: try CoreDataFile(store, options: options)
            case .sluice: try SluiceFile(store, options: options)
            case .json: try JSONFile(store, options: options)
            case .unknown: throw try unknown(store)
            }
        let chosen = AssembledFile.chosen(file, options)
        let whole = chosen.isEmpty ? file : try AssembledFile(file, chosen)
        guard let mapping = options.mapping else { return whole }
        return try MappedFile(whole, mapping)
    }

    static func unknown(_ store: StagedStore) throws -> ImportError {
        let connection = try Connection(path: store.path, mode: .readOnly)
        let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 20") { $0.text(0) }
        return .unknownKind(path: store.source, tables: tables)
    }
}

/// Collects elements up to the bounds of one batch.
struct ReadBatch<Element> {
    private let rowCountMax: Int
    private let byteCountMax: Int
    private var elements: [Element] = []
    private var byteCount = 0

    init(_ options: LegacyFileOptions) {
        rowCountMax = options.batchRowCount
        byteCountMax = options.batchByteCount
    }

    mutating func add(_ element: Element, byteCount: Int, _ body: ([Element]) throws -> Void) throws {
        if self.byteCount + byteCount > byteCountMax { try finish(body) }
        elements.append(element)
        self.byteCount += byteCount
        if elements.count >= rowCountMax { try finish(body) }
    }

    mutating func finish(_ body: ([Element]) throws -> Void) throws {
        guard !elements.isEmpty else { return }
        try body(elements)
        elements.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}

extension PropertyValue {
    /// About what the value takes in memory.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count + 16
        case .data(let data): data.count + 16
        default: 24
        }
    }
}
