import Foundation
import SluiceDigest
import SluiceRecords
import SluiceSQLite

/// Whoever has a token says by it whose database is meant, so no statement about tokens can name the database.
enum TokenStatement {
    static let global = "/* global: a token's digest leads to its database */"
}

extension WriteTransaction {
    func addToken(_ token: NewToken) throws {
        var database: Int64?
        var holder = ""
        var publicKey = SQLiteValue.null
        switch token.kind {
        case .api: break
        case .user(let name, let device):
            database = try self.database(of: name, token)
            holder = device
        case .serverKey(let key, let name, let device):
            guard try connection.integer("\(TokenStatement.global) SELECT count(*) FROM token WHERE digest = ?", [.blob(token.digest)]) == 0 else {
                throw StorageError.credentialExists
            }
            database = try self.database(of: name, token)
            holder = device
            publicKey = .blob(key)
        }
        try connection.write(
            """
            \(TokenStatement.global) INSERT INTO token(
                digest, container, environment, database, holder, created, expires, is_revoked, public_key, rotation, next_digest, rotated)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)
            """,
            [
                .blob(token.digest), .text(token.container), .text(token.environment.rawValue), SQLiteValue(database), .text(holder),
                .integer(now), SQLiteValue(token.expires), publicKey, SQLiteValue(token.rotation?.kind.rawValue), SQLiteValue(token.rotation?.successor),
                .integer(now),
            ])
    }

    /// The user's database, made with its default zone where it is not there yet.
    private func database(of user: String, _ token: NewToken) throws -> Int64 {
        let key: [SQLiteValue] = [.text(token.container), .text(token.environment.rawValue), .text(user)]
        let find = #"/* global: the database of a name */ SELECT id FROM database WHERE container = ? AND environment = ? AND "user" = ?"#
        if let found = try connection.firstRow(find, key, { $0.integer(0) }) { return found }
        // The record name says nothing about the person and is unguessable: 128 bits of the token's digest, which is random. A
        // key's identifier is no secret, so something random is hashed with it.
        let source = if case .serverKey = token.kind { Digest.sha256(token.digest + withUnsafeBytes(of: nonce) { Data($0) }) } else { token.digest }
        let recordName = "_" + source.prefix(16).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        let made = try connection.firstRow(
            #"""
            /* global: makes a database */ INSERT INTO database(container, environment, "user", record_name) VALUES (?, ?, ?, ?) RETURNING id
            """#, key + [.text(recordName)]
        ) { $0.integer(0) }
        guard let id = made else { throw StorageError.unavailable("a database has no number") }
        try connection.write(
            "INSERT INTO head(database, nonce, sequence, head_nonce, bytes) VALUES (?, ?, 0, ?, 0)",
            [.integer(id), SQLiteValue(bits: nonce), SQLiteValue(bits: nonce)])
        try connection.write(
            "INSERT INTO zone VALUES (?, ?, ?, ?, 0, ?, 0, 0, 0, NULL, NULL)",
            [
                .integer(id), .integer(ServiceFile.defaultZone), .text(ZoneID.defaultZoneName), SQLiteValue(bits: nonce), SQLiteValue(bits: nonce),
            ])
        return id
    }

    /// The announced successor takes over; where another request was first, it has already.
    func rotateToken(id: Int64, to digest: Data, successor: Data) throws {
        try connection.write(
            """
            \(TokenStatement.global) UPDATE token SET previous_digest = digest, digest = next_digest, next_digest = ?, rotated = ?
            WHERE id = ? AND next_digest = ?
            """, [.blob(successor), .integer(now), .integer(id), .blob(digest)])
    }

    func revokeToken(id: Int64) throws -> Bool {
        try connection.run("\(TokenStatement.global) UPDATE token SET is_revoked = 1 WHERE id = ? AND is_revoked = 0", [.integer(id)]) == 1
    }
}

/// What readers see of credentials.
struct CredentialReading {
    let connection: any TableConnection
    let now: Int64

    private static let isValid =
        "token.is_revoked = 0 AND (token.expires IS NULL OR token.expires > ?) AND token.digest = ? AND token.container = ? AND token.environment = ?"
    private static let callerColumns = "token.database, database.record_name, token.holder, token.id, token.rotation, token.rotated"

    private func values(_ digest: Data, _ path: DatabasePath) -> [SQLiteValue] {
        [.integer(now), .blob(digest), .text(path.container), .text(path.environment.rawValue)]
    }

    func acceptsAPIToken(_ digest: Data, _ path: DatabasePath) throws -> Bool {
        try connection.integer("\(TokenStatement.global) SELECT count(*) FROM token WHERE \(Self.isValid) AND token.database IS NULL", values(digest, path)) > 0
    }

    func caller(_ digest: Data, _ path: DatabasePath) throws -> Caller? {
        try connection.firstRow(
            """
            \(TokenStatement.global) SELECT \(Self.callerColumns) FROM token JOIN database ON database.id = token.database
            WHERE \(Self.isValid) AND token.public_key IS NULL
            """, values(digest, path), caller)
    }

    /// A row that knows the token as its next one, or still as its previous one.
    func rotating(_ digest: Data, _ path: DatabasePath) throws -> (caller: Caller, isNext: Bool)? {
        try connection.firstRow(
            """
            \(TokenStatement.global) SELECT \(Self.callerColumns), CASE WHEN token.next_digest = ? THEN 1 ELSE 0 END
            FROM token JOIN database ON database.id = token.database
            WHERE token.is_revoked = 0 AND (token.expires IS NULL OR token.expires > ?) AND token.container = ? AND token.environment = ?
                AND (token.next_digest = ? OR token.previous_digest = ? AND token.rotation = ? AND token.rotated > ?)
            """,
            [
                .blob(digest), .integer(now), .text(path.container), .text(path.environment.rawValue), .blob(digest), .blob(digest),
                .text(TokenRotation.lenient.rawValue), .integer(now - TokenRotation.grace),
            ]
        ) { row in
            var caller = caller(row)
            let isNext = row.integer(6) != 0
            // One that takes over now has just been announced; the one before has to hear of the current one.
            caller.isRotationDue = !isNext || caller.rotation == .strict
            return (caller, isNext)
        }
    }

    /// A key is never a token: its digest is of what anybody may know.
    func serverKey(_ identifier: Data, _ path: DatabasePath) throws -> ServerKey? {
        try connection.firstRow(
            """
            \(TokenStatement.global) SELECT \(Self.callerColumns), token.public_key
            FROM token JOIN database ON database.id = token.database WHERE \(Self.isValid) AND token.public_key IS NOT NULL
            """, values(identifier, path)
        ) { ServerKey(publicKey: $0.data(6), caller: caller($0)) }
    }

    private func caller(_ row: any TableRow) -> Caller {
        var caller = Caller(database: DatabaseID(rawValue: row.integer(0)), userRecordName: row.text(1), holder: row.text(2), tokenID: row.integer(3))
        caller.rotation = row.isNull(4) ? nil : TokenRotation(rawValue: row.text(4))
        caller.isRotationDue = caller.rotation == .strict || caller.rotation == .lenient && now - row.integer(5) >= TokenRotation.grace
        return caller
    }

    func tokens() throws -> [TokenSummary] {
        try connection.rows(
            """
            \(TokenStatement.global) SELECT token.id, database."user", token.holder, token.container, token.environment, token.created, token.expires, token.is_revoked,
                CASE WHEN token.public_key IS NULL THEN NULL ELSE token.digest END, token.rotation
            FROM token LEFT JOIN database ON database.id = token.database ORDER BY token.id
            """
        ) { row in
            TokenSummary(
                id: row.integer(0), keyIdentifier: row.isNull(8) ? nil : row.data(8),
                rotation: row.isNull(9) ? nil : TokenRotation(rawValue: row.text(9)), user: row.isNull(1) ? nil : row.text(1), holder: row.text(2), container: row.text(3),
                environment: ServiceEnvironment(rawValue: row.text(4)) ?? .production, created: row.integer(5),
                expires: row.isNull(6) ? nil : row.integer(6), isRevoked: row.integer(7) != 0)
        }
    }
}
