import SluiceRecords

/// The zones that had a name before the one that has it now. A device that was away learns from it what became of the zone that its rows belong to.
///
/// In the tables a text: `<nonce of the creation>.<reason>`, the oldest first, with spaces between.
struct FormerZones: Hashable, Sendable {
    private struct Ended: Hashable, Sendable {
        /// What its sync tokens name.
        let origin: UInt64
        let reason: ZoneDeletionReason
    }

    private var ended: [Ended] = []

    /// How many are remembered. A token of one before them counts as one of another timeline.
    static let countMax = 64

    init(text: String) {
        ended = text.split(separator: " ").compactMap { part in
            let halves = part.split(separator: ".")
            guard halves.count == 2, let origin = parseHexadecimal(halves[0]), let reason = ZoneDeletionReason(rawValue: String(halves[1])) else {
                return nil
            }
            return Ended(origin: origin, reason: reason)
        }
    }

    var text: String { ended.map { "\(hexadecimal($0.origin)).\($0.reason.rawValue)" }.joined(separator: " ") }

    func adding(_ origin: UInt64, _ reason: ZoneDeletionReason) -> FormerZones {
        var all = self
        all.ended = ended.suffix(Self.countMax - 1) + [Ended(origin: origin, reason: reason)]
        return all
    }

    /// What became of the zone with that origin; nil where no zone of this name had it. Of the reasons for which zones ended since, the one that
    /// leaves the least to be sent again counts: purged before deleted before a reset of encrypted data.
    func reason(forEndOf origin: UInt64) -> ZoneDeletionReason? {
        guard let first = ended.lastIndex(where: { $0.origin == origin }) else { return nil }
        let reasons = ended[first...].map(\.reason)
        return [.purged, .deleted].first(where: reasons.contains) ?? .encryptedDataReset
    }
}
