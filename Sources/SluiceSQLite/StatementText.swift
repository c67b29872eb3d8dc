import Glibc

/// The text of a statement as the key of a cache.
///
/// Texts are long and asked for several times per row, so a hash looks at their length and a few places; comparing tells what is left, and
/// takes no time where both are the same literal.
struct StatementText: Hashable {
    private let sql: String

    init(_ sql: String) { self.sql = sql }

    static func == (left: StatementText, right: StatementText) -> Bool {
        // By bytes, as SQLite does: to Swift two spellings of one accent are equal.
        var (left, right) = (left.sql, right.sql)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty && right.isEmpty }
                return first == second || memcmp(first, second, left.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var sql = sql
        sql.withUTF8 { bytes in
            hasher.combine(bytes.count)
            let last = bytes.count - MemoryLayout<UInt64>.size
            guard last > 0 else { return }
            for part in 0...4 { hasher.combine(UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: last * part / 4, as: UInt64.self)) }
        }
    }
}
