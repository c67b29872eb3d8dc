// What the service has said that it has, and the sync token does not cover yet.
//
// A service that is put back to a plain copy of its files goes on under its epoch. A token from before the copy is good there, and what was acknowledged
// after the copy was made is gone without a word. So this device keeps a change tag of each answer until a page of the feed covers it, and says them
// with each request whose answer it would draw conclusions from: a service that does not have one of them is on another timeline.
//
// - All versions of one answer are of one commit: one tag stands for them. Of two answers neither stands for the other, since the service may have
//   been put back between them.
// - A lookup acknowledges too: what it finds to be there already is not sent.
// - They are written in the transaction that records the outcome, so a crash forgets both or neither.

package import SluiceRecords
import SluiceSQLite
import SluiceStore

extension SyncJournal {
    /// With more of them than this the feed is asked before anything else is sent, which confirms them.
    static let seenTagsMax = 200

    /// The oldest first.
    package var seenTags: [String] {
        get throws { try store.syncValue(.seenTags)?.text?.split(separator: " ").map(String.init) ?? [] }
    }

    /// Keeps the version that an answer tells of. Only where there is somebody who could be asked: CloudKit has no epoch.
    /// - Returns: whether there are so many now that the feed has to confirm them first.
    func noteSeen(_ tag: ChangeTag?) throws -> Bool {
        guard let tag, try store.syncValue(.epoch)?.text != nil else { return false }
        // Of one commit the last entry stands for all.
        var kept = try seenTags.compactMap(ChangeTag.init(text:))
        let same = kept.filter { $0.nonce == tag.nonce }.map(\.sequence).max() ?? 0
        kept.removeAll { $0.nonce == tag.nonce }
        kept.append(ChangeTag(sequence: max(same, tag.sequence), nonce: tag.nonce))
        try store.setSyncValue(.text(kept.map(\.text).joined(separator: " ")), for: .seenTags)
        return kept.count > Self.seenTagsMax
    }

    /// The token that is written now covers these.
    func confirmSeen(_ tags: [String]) throws {
        let kept = try seenTags
        guard !tags.isEmpty, !kept.isEmpty else { return }
        let left = kept.filter { !tags.contains($0) }
        try store.setSyncValue(left.isEmpty ? .null : .text(left.joined(separator: " ")), for: .seenTags)
    }

    /// They are of a zone or a timeline that is no more.
    func forgetSeen() throws { try store.setSyncValue(.null, for: .seenTags) }
}

extension RecordsResponse {
    /// The version that stands for all that a write had an effect on; nil where it had none.
    var lastTag: ChangeTag? {
        for result in records.reversed() { if let tag = result.changeTag.flatMap(ChangeTag.init(text:)) { return tag } }
        return nil
    }

    /// The latest version that a lookup found.
    var latestTag: ChangeTag? {
        records.lazy.compactMap { $0.changeTag.flatMap(ChangeTag.init(text:)) }.max { $0.sequence < $1.sequence }
    }
}

extension RecordResult {
    /// Nil for a failure, and for a deletion that changed nothing.
    fileprivate var changeTag: String? {
        switch self {
        case .record(let record): record.changeTag
        case .stored(let stored): stored.head.changeTag
        case .thin(_, let tag, _): tag
        case .failure: nil
        }
    }
}
