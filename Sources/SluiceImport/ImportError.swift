package import SluiceSQLite
package import SluiceSchema

/// Why a legacy store was not imported, which file it is, and what to do next. The source is as it was in every case.
package enum ImportError: Error, Sendable {
    case relativePath(String)
    case sourceMissing(path: String)
    case notAFile(path: String, found: FileStatus.Kind)
    case emptySource(path: String)
    case notSQLite(path: String, found: SourceFormat)
    case encrypted(path: String)
    case damagedHeader(path: String)
    /// The index beside the store says that its log holds commits, and there is no log.
    case logMissing(path: String)
    case truncated(path: String, expectedByteCount: Int, foundByteCount: Int)
    case damaged(path: String, faults: [String])
    case keepsChanging(path: String, attempts: Int)
    /// This process has the file open as a database: reading its bytes would take SQLite's locks from it.
    case openHere(path: String, database: String)
    case importRunning(lock: String, holder: String)
    case networkFileSystem(path: String, name: String)
    /// A system call on a file failed: disk full, no permission, an I/O error.
    case file(operation: String, path: String, code: Int32)
    case sqlite(SQLiteError)
    /// The staged copy is a sound SQLite database, but neither Core Data's nor ours.
    case unknownKind(path: String, tables: [String])
    /// A JSON document that is no export, or a damaged one.
    case malformedExport(path: String, fault: JSONFault)
    /// An export whose end is missing, or that has other rows than it says.
    case incompleteExport(path: String, expected: Int?, found: Int)
    /// Core Data's own description of the model cannot be read.
    case unreadableModel(path: String, fault: ModelFault)
    case unusableSchema(path: String, fault: SchemaError)
    /// Words of the mapping mean nothing in this file.
    case unusableMapping([MappingFault])
    /// What the mapping makes is no schema, such as two entities of one name.
    case contradictoryMapping(file: String, fault: SchemaError)
    /// The mapping names an attribute that cannot be a record's identity.
    case unusableIdentity(entity: String, attribute: String, reason: IdentityRefusal)
    /// The new store does not hold what the file holds. It was not given its name.
    case unfaithfulCopy(entity: String, row: Int64, property: String)
    case lostRows(expected: Int, found: Int)

    /// Whether the file alone is the reason: the same bytes are refused again.
    package var isOfTheFile: Bool {
        switch self {
        case .notAFile, .emptySource, .notSQLite, .encrypted, .damagedHeader, .logMissing, .truncated, .damaged, .unknownKind,
            .malformedExport, .incompleteExport, .unreadableModel, .unusableSchema, .unusableMapping, .contradictoryMapping, .unusableIdentity,
            .unfaithfulCopy, .lostRows:
            true
        case .sqlite(let error): ResultCode.corrupt ~= error.code || ResultCode.notADatabase ~= error.code
        default: false
        }
    }

    /// Whether the same call may succeed later without anybody changing anything.
    package var isRetryable: Bool {
        switch self {
        case .keepsChanging, .importRunning: true
        case .sqlite(let error): error.isRetryable
        default: false
        }
    }
}

/// What a file that is no SQLite database seems to be, by its first bytes.
package enum SourceFormat: String, Sendable {
    case propertyList = "a property list"
    case xml = "an XML document"
    case json = "a JSON document"
    case archive = "a compressed archive"
    case writeAheadLog = "the write-ahead log of a store, not the store"
    case unknown = "of an unknown format"
}

/// Why an attribute cannot give a record its name.
package enum IdentityRefusal: String, Sendable {
    case noSuchEntity = "there is no such entity"
    case noSuchAttribute = "there is no such attribute"
    case notUUID = "it is not of type UUID"
    case hasEmptyValues = "rows without a value exist"
    case hasDuplicates = "two rows share a value"
    case sharedWithOtherEntity = "another entity's identity holds the same value"
}

extension ImportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .relativePath(let path): "\(path): a legacy source needs an absolute path; write the whole path"
        case .sourceMissing(let path): "\(path): there is no such file; check the legacy source in the configuration"
        case .notAFile(let path, let found): "\(path): found a \(found.rawValue), expected a store file"
        case .emptySource(let path): "\(path): the file is empty; there is nothing to import"
        case .notSQLite(let path, let found):
            "\(path): no SQLite database; it is \(found.rawValue). Check the path of the legacy source"
        case .encrypted(let path): "\(path): no readable SQLite header; the file seems encrypted: import an unencrypted copy"
        case .damagedHeader(let path):
            "\(path): the SQLite header is damaged, the pages behind it are SQLite's: take another copy, or repair one (sqlite3's .recover)"
        case .logMissing(let path):
            "\(path): its write-ahead log \(path)-wal is missing, and the index beside it says that changes were only there: copy the log too"
        case .truncated(let path, let expected, let found):
            "\(path): cut off: \(found) of \(expected) bytes are there; take a complete copy"
        case .damaged(let path, let faults):
            "\(path): the database is damaged: \(faults.joined(separator: "; ")). Repair a copy of it, then import that"
        case .keepsChanging(let path, let attempts):
            "\(path): it changed during each of \(attempts) attempts to copy it; stop the program that writes it, then try again"
        case .openHere(let path, let database):
            "\(path): this program works with it, as \(database): a store is no source of its own account or of another of the same program;"
                + " name a copy of it (`sluice backup` makes one)"
        case .importRunning(let lock, let holder): "\(lock): another import is running (process \(holder)); wait for it"
        case .networkFileSystem(let path, let name):
            "\(path): lies on a network file system (\(name)), where SQLite's locks cannot be trusted; choose a local directory"
        case .file(let operation, let path, let code): "\(path): cannot \(operation): \(OpenFile.message(for: code))"
        case .sqlite(let error): error.description
        case .unknownKind(let path, let tables):
            "\(path): neither a Core Data store nor ours; its tables are \(tables.prefix(8).joined(separator: ", "))"
        case .malformedExport(let path, let fault): "\(path): \(fault)"
        case .incompleteExport(let path, let expected, let found):
            "\(path): the export is not whole: \(found) rows\(expected.map { " of \($0)" } ?? "") are there; write it again"
        case .unreadableModel(let path, let fault): "\(path): the model inside cannot be read: \(fault.description)"
        case .unusableSchema(let path, let fault): "\(path): its model gives no usable schema: \(fault.description)"
        case .unusableMapping(let faults): faults.map(\.description).joined(separator: "\n")
        case .contradictoryMapping(let file, let fault): "\(file): what it maps to is no usable schema: \(fault.description)"
        case .unusableIdentity(let entity, let attribute, let reason):
            "\(entity).\(attribute) cannot be the identity: \(reason.rawValue); change the mapping"
        case .unfaithfulCopy(let entity, let row, let property):
            "row \(row) of \(entity) came out otherwise than it went in (\(property.isEmpty ? "missing" : property)); nothing was kept"
        case .lostRows(let expected, let found): "\(found) of \(expected) rows arrived; nothing was kept"
        }
    }
}
