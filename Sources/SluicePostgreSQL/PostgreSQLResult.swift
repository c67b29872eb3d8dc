import CPostgreSQL
package import Foundation

/// What one statement came to: its rows, all in memory, and how many it changed. Rows and columns count from 0.
///
/// Used on its connection's thread only.
package final class PostgreSQLResult {
    private let handle: OpaquePointer
    package let rowCount: Int

    init(_ handle: OpaquePointer) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
    }

    deinit { PQclear(handle) }

    /// Rows that the statement inserted, updated, deleted or returned.
    package var changedCount: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// What the server says it did, such as `COMMIT`; a commit of a transaction that had failed is a `ROLLBACK`.
    package var commandTag: String { String(cString: PQcmdStatus(handle)) }

    /// What it takes in memory.
    package var byteCount: Int { Int(PQresultMemorySize(handle)) }

    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

    /// A number of any width, or a truth value; 0 for NULL.
    package func integer(_ row: Int, _ column: Int) -> Int64 {
        let bytes = bytes(row, column)
        guard let first = bytes.first else { return 0 }
        // Two's complement, the highest byte first.
        let start: Int64 = bytes.count > 1 && first & 0x80 != 0 ? -1 : 0
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }

    package func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
    package func data(_ row: Int, _ column: Int) -> Data { Data(bytes(row, column)) }

    private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, Int32(row), Int32(column)), count: Int(PQgetlength(handle, Int32(row), Int32(column))))
    }
}
