// Change tags and sync tokens: the two texts by which a client names a state that it has seen.
//
//     change tag   1.<sequence>.<nonce>                  of one record
//     sync token   z1.<epoch>.<sequence>.<nonce>             of one zone
//                  z1.<epoch>.<sequence>.<nonce>.<position>  in the middle of a fetch that began with nothing: the head of the feed when it
//                                                            began, and how far it has come since
//                  d1.<epoch>.<sequence>.<nonce>             of the database
//
// The head stands for the whole fetch: entries of long ago, whose nonces nobody remembers, and tombstones that were forgotten before the
// fetch began do not matter to who knows nothing yet; a tombstone forgotten since would.
//
// The sequence is decimal, epoch and nonce are sixteen hexadecimal digits. The service draws one random nonce per commit. A database
// that was restored from an older copy and written on assigns the same sequences again, with other nonces: an old tag matches no record
// and an old token no entry. Clients compare both for equality only; the digit behind the letter is the version of the encoding.

/// The server version of one record.
package struct ChangeTag: Hashable, Sendable, CustomStringConvertible {
    package let sequence: Int64
    package let nonce: UInt64

    package init(sequence: Int64, nonce: UInt64) {
        self.sequence = sequence
        self.nonce = nonce
    }

    package var text: String { "1.\(sequence).\(hexadecimal(nonce))" }

    /// Nil for a tag that no service of ours wrote: it equals none of ours.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "1", let sequence = parseSequence(parts[1]), let nonce = parseHexadecimal(parts[2]) else {
            return nil
        }
        self.init(sequence: sequence, nonce: nonce)
    }

    package var description: String { text }
}

/// A position in a zone's or a database's feed.
package struct SyncToken: Hashable, Sendable, CustomStringConvertible {
    package enum Scope: String, Hashable, Sendable {
        case zone = "z1"
        case database = "d1"
    }

    /// Why a text is no token. The reasons are Apple's words; clients match on them.
    package enum Fault: String, Error, Hashable, Sendable {
        case unknownKind = "Unknown sync continuation type"
        case malformed = "Invalid continuation format"
    }

    package let scope: Scope
    package let epoch: Epoch
    /// The last entry that the client has seen; 0 before the first.
    package let sequence: Int64
    /// The nonce of the commit that made that entry; of the zone's or database's creation for 0.
    package let nonce: UInt64
    /// The last entry that a fetch from nothing has come to, where that is before `sequence`.
    package let position: Int64?

    package init(_ scope: Scope, epoch: Epoch, sequence: Int64, nonce: UInt64, position: Int64? = nil) {
        self.scope = scope
        self.epoch = epoch
        self.sequence = sequence
        self.nonce = nonce
        self.position = position
    }

    /// The entry after which the next page begins.
    package var start: Int64 { position ?? sequence }

    package var text: String {
        "\(scope.rawValue).\(epoch.text).\(sequence).\(hexadecimal(nonce))" + (position.map { ".\($0)" } ?? "")
    }

    package init(text: String, scope: Scope) throws(Fault) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.first == scope.rawValue[...] else { throw .unknownKind }
        guard parts.count == 4 || parts.count == 5 && scope == .zone, let epoch = parseHexadecimal(parts[1]),
            let sequence = parseSequence(parts[2]), let nonce = parseHexadecimal(parts[3])
        else { throw .malformed }
        var position: Int64?
        if parts.count == 5 {
            guard let parsed = parseSequence(parts[4]), parsed < sequence else { throw .malformed }
            position = parsed
        }
        self.init(scope, epoch: Epoch(rawValue: epoch), sequence: sequence, nonce: nonce, position: position)
    }

    package var description: String { text }
}

/// Decimal without sign or leading zeros, so that each sequence has one spelling.
private func parseSequence(_ text: Substring) -> Int64? {
    guard text == "0" || text.first != "0", text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
}
