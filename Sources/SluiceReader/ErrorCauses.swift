import SluiceSQLite
import SluiceSchema

// What goes wrong below a reader, as a reader understands it.

extension ReaderError {
    /// Whether the same read may succeed on the store that the pointer names by now.
    var mayComeFromAReplacedStore: Bool {
        switch self {
        case .storeIsMissing, .unavailable, .damaged: true
        default: false
        }
    }

    /// What an error from below means to a helper; nil for one that `body` threw on its own account.
    package init?(_ error: any Error, path: String, limit: Duration) {
        switch error {
        case let error as ReaderError: self = error
        case let error as ExternalValueFault: self.init(error)
        case is DeadlinePassed: self = .tookTooLong(path: path, limit: limit)
        case let error as SQLiteError: self.init(error, path: path, limit: limit)
        case StoreHeader.Fault.formatIsNewer: self = .storeIsNewer(path: path)
        case StoreHeader.Fault.notAStore: self = .damaged(path: path, reason: "it is no store of Sluice's")
        case StoreHeader.Fault.schemaIsMissing: self = .damaged(path: path, reason: "the schema inside it is missing")
        // The header's format is known, so only a newer program can have written a schema that this one cannot read.
        case is DecodingError: self = .storeIsNewer(path: path)
        default: return nil
        }
    }

    /// What SQLite refuses in a statement, or in a value it works out, is the fault of who asked; nil where the file is to blame. Tables that
    /// the store's own schema tells of and that are not there are the file's fault.
    init?(query error: SQLiteError) {
        guard case .error = error.code, !error.message.hasPrefix("no such ") else { return nil }
        self = .query(.unsupported(property: "the filter or the order", reason: "SQLite refuses it: \(error.message)"))
    }

    private init(_ fault: ExternalValueFault) {
        switch fault.reason {
        case .notPermitted: self = .notPermitted(path: fault.path)
        case .unreadable: self = .unavailable(path: fault.path, reason: "\(fault.whose), \(fault.summary)")
        default: self = .damaged(path: fault.path, reason: "\(fault.whose), \(fault.summary)")
        }
    }

    private init(_ error: SQLiteError, path: String, limit: Duration) {
        switch error.code {
        case .interrupted: self = .tookTooLong(path: path, limit: limit)
        // All three files were there and readable a moment ago.
        case .busy, .locked, .readOnly, .cannotOpen: self = .unavailable(path: path, reason: error.message)
        case .permission: self = .notPermitted(path: path)
        default: self = .damaged(path: path, reason: error.message)
        }
    }
}
