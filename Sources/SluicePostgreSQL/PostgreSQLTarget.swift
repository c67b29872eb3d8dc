import CPostgreSQL

/// Which server and database, as libpq's connection string says it: `postgresql://HOST/DATABASE?sslmode=verify-full`, or `host=… dbname=…`.
///
/// It holds no password: command lines and configuration are read by others. libpq finds one in the file that `passfile=`, `PGPASSFILE` or
/// a service file names, or needs none (peer, certificates).
package struct PostgreSQLTarget: Hashable, Sendable {
    /// As it was given.
    package let text: String
    /// Where the tables are; `sluice` unless a test says otherwise. Letters, digits and underscores.
    package let schema: String

    /// - Throws: `.unusableTarget` for what libpq cannot read, and for a password.
    package init(_ text: String, schema: String = "sluice") throws(PostgreSQLError) {
        guard let list = PQconninfoParse(text, nil) else {
            throw .unusableTarget("cannot be read; expected is postgresql://HOST/DATABASE, or host=HOST dbname=DATABASE")
        }
        defer { PQconninfoFree(list) }
        var next = list
        while let keyword = next.pointee.keyword {
            let name = String(cString: keyword)
            // What libpq itself marks as a secret (`dispchar` is `*`): password, sslpassword.
            let isSecret = next.pointee.dispchar.map { String(cString: $0) == "*" } ?? false
            if isSecret, next.pointee.val != nil {
                throw .unusableTarget("holds a secret (\(name)), which others can read; put it into a file and name that: passfile=FILE")
            }
            next += 1
        }
        guard !schema.isEmpty, schema.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F }) else {
            throw .unusableTarget("goes with a schema of small letters, digits and underscores")
        }
        self.text = text
        self.schema = schema
    }

    /// Whether a text is meant as one.
    package static func isOne(_ text: String) -> Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }
}
