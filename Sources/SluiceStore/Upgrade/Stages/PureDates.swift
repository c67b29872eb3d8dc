// SQLite's functions of dates may look at the clock and at the time zone of the machine. Every device runs a stage for itself, and all have
// to come to the same values: so while one runs, those functions refuse to.

import SluiceSQLite

/// Date functions without clock and time zone, in place of SQLite's own. Used on the connection's executor.
enum PureDates {
    /// The functions, and how many arguments each needs to leave the clock alone.
    static let functions: [String: Int] = ["date": 1, "time": 1, "datetime": 1, "julianday": 1, "unixepoch": 1, "strftime": 2]
    /// What makes a value another one elsewhere.
    static let impureWords: Set<String> = ["now", "localtime", "utc"]

    private struct Impure: Error, CustomStringConvertible {
        let description: String
    }

    /// A connection that was asked once stays so: it is a migration's own, and ends with it.
    static func register(on connection: Connection) throws(SQLiteError) {
        // SQLite's own functions cannot be called once they are replaced; those of another connection can.
        let original = try Connection(path: "", mode: .memory)
        for (name, least) in functions {
            try connection.register(name, argumentCount: nil) { call in
                var values: [SQLiteValue] = []
                for place in 0..<call.count { values.append(call.value(place)) }
                guard values.count >= least else { throw Impure(description: "\(name) without a date is the time of day: give it one") }
                for case .text(let text) in values where impureWords.contains(text.lowercased().filter { !$0.isWhitespace }) {
                    throw Impure(description: "\(name) was to look at the clock or the time zone, which differ from device to device")
                }
                return try original.value("SELECT \(name)(\(SQLText.placeholders(values.count)))", values) ?? .null
            }
        }
    }
}
