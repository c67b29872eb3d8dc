// Change tags and sync tokens: the two texts by which a client names a state that it has seen.
//
//     change tag   1.<sequence>.<nonce>                  of one record
//     sync token   z2.<epoch>.<origin>.<sequence>.<nonce>             of one zone
//                  z2.<epoch>.<origin>.<sequence>.<nonce>.<position>  in the middle of a fetch that began with nothing: the head of the feed
//                                                                     when it began, and how far it has come since
//                  d1.<epoch>.<sequence>.<nonce>                      of the database
//
// The origin is the nonce of the zone's creation: a zone that was deleted and made again has another one, and the service remembers the
// former ones with the reason for which each ended. Tokens without it (`z1`) were given by earlier releases and are still taken.
//
// The head stands for the whole fetch: entries of long ago, whose nonces nobody remembers, and tombstones that were forgotten before the
// fetch began do not matter to who knows nothing yet; a tombstone forgotten since would.
//
// The sequence is decimal, epoch, origin and nonce are sixteen hexadecimal digits. The service draws one random nonce per commit. A database
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
        case zone = "z2"
        case database = "d1"
    }

    /// How zone tokens of earlier releases begin.
    private static let withoutOrigin = "z1"

    /// Why a text is no token. The reasons are Apple's words; clients match on them.
    package enum Fault: String, Error, Hashable, Sendable {
        case unknownKind = "Unknown sync continuation type"
        case malformed = "Invalid continuation format"
    }

    package let scope: Scope
    package let epoch: Epoch
    /// The nonce of the zone's creation; nil for a database, and in tokens of earlier releases.
    package let origin: UInt64?
    /// The last entry that the client has seen; 0 before the first.
    package let sequence: Int64
    /// The nonce of the commit that made that entry; of the zone's or database's creation for 0.
    package let nonce: UInt64
    /// The last entry that a fetch from nothing has come to, where that is before `sequence`.
    package let position: Int64?

    package init(_ scope: Scope, epoch: Epoch, origin: UInt64? = nil, sequence: Int64, nonce: UInt64, position: Int64? = nil) {
        self.scope = scope
        self.epoch = epoch
        self.origin = origin
        self.sequence = sequence
        self.nonce = nonce
        self.position = position
    }

    /// The entry after which the next page begins.
    package var start: Int64 { position ?? sequence }

    package var text: String {
        let name = scope == .zone && origin == nil ? Self.withoutOrigin : scope.rawValue
        let parts = [name, epoch.text] + (origin.map { [hexadecimal($0)] } ?? []) + ["\(sequence)", hexadecimal(nonce)]
        return (parts + (position.map { ["\($0)"] } ?? [])).joined(separator: ".")
    }

    package init(text: String, scope: Scope) throws(Fault) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)[...]
        let kind = parts.popFirst()
        let isOfEarlierRelease = scope == .zone && kind == Self.withoutOrigin[...]
        guard isOfEarlierRelease || kind == scope.rawValue[...] else { throw .unknownKind }
        let hasOrigin = scope == .zone && !isOfEarlierRelease
        guard parts.count >= (hasOrigin ? 4 : 3), let epoch = parts.popFirst().flatMap(parseHexadecimal),
            let origin = hasOrigin ? parts.popFirst().flatMap(parseHexadecimal) : 0,
            let sequence = parts.popFirst().flatMap(parseSequence), let nonce = parts.popFirst().flatMap(parseHexadecimal)
        else { throw .malformed }
        var position: Int64?
        if let last = parts.popFirst() {
            guard scope == .zone, parts.isEmpty, let parsed = parseSequence(last), parsed < sequence else { throw .malformed }
            position = parsed
        }
        self.init(
            scope, epoch: Epoch(rawValue: epoch), origin: hasOrigin ? origin : nil, sequence: sequence, nonce: nonce, position: position)
    }

    package var description: String { text }
}

/// Decimal without sign or leading zeros, so that each sequence has one spelling.
private func parseSequence(_ text: Substring) -> Int64? {
    guard text == "0" || text.first != "0", text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
}
