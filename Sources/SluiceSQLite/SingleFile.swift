import CSQLite

extension Connection {
    /// Makes the database one file again, without `-wal` and `-shm` beside it, until somebody keeps a log for it anew: for files that are
    /// done.
    package func becomeSingleFile() throws(SQLiteError) {
        var off: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &off)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
        try execute("PRAGMA journal_mode = DELETE")
    }
}
