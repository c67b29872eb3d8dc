import Foundation
import SluiceSQLite
import SluiceSchema

/// Functions of filters that need Foundation's tables of letters.
enum TextFunctions {
    /// Makes all functions of filters known to a connection.
    static func install(on connection: Connection) throws(SQLiteError) {
        try FilterFunctions.install(on: connection)
        try connection.register(FilterFunctions.search, argumentCount: 2) { call in
            guard call.isText(0), call.isText(1), let search = call.prepared(1, as: FoldedSearch.self, { FoldedSearch(call.text(1)) }) else {
                return .null
            }
            return call.withText(0) { search.isFound(in: $0) } ? 1 : 0
        }
        try connection.register(FilterFunctions.compare, argumentCount: 2) { call in
            guard call.isText(0), call.isText(1) else { return .null }
            return SQLiteValue(call.text(0).caseInsensitiveCompare(call.text(1)).rawValue)
        }
    }
}
