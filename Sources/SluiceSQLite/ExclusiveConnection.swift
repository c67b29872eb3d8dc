// Replacing everything in a database file, under SQLite's own locks: a rename beneath a connection that somebody opens in the same moment
// would leave two programs with two files and one log.

extension Connection {
    /// Opens a database so that nobody else can, merges its log into it and removes the log's files. Others get in when this is closed, and
    /// those that open it meanwhile wait.
    /// - Throws: `SQLiteError` with `.busy` where somebody has it open; `.notADatabase` or `.corrupt` where it cannot be used.
    package static func exclusive(_ path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .milliseconds(100))
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = EXTRA")
        // Leaving the mode with a log needs the file for oneself.
        guard try connection.value("PRAGMA journal_mode = DELETE")?.text == "delete" else {
            throw SQLiteError(code: .busy, message: "database is locked", statement: "PRAGMA journal_mode", path: path)
        }
        try connection.execute("BEGIN EXCLUSIVE; COMMIT")
        return connection
    }

    /// Gives the database the contents of another, in one transaction: a crash or an error leaves the old contents or the new ones.
    package func replaceContents(with other: Connection) throws {
        try other.backUp(into: self, pagesPerStep: -1)
    }
}
