package import SluiceRecords

/// One page of a zone's feed, as asked for.
package struct FeedQuery: Sendable {
    package var zone: ZoneID
    package var token: SyncToken?
    package var isReversed: Bool
    package var limit: Int
    /// The page ends after the record that brings its fields over this many bytes.
    package var bytes: Int
    /// Nil: all. Tombstones come in any case, since theirs may be forgotten.
    package var recordTypes: [String]?
    /// Versions that the reader was told of, beside those before the token.
    package var seen: [ChangeTag]

    package init(
        zone: ZoneID, token: SyncToken? = nil, isReversed: Bool = false, limit: Int, bytes: Int = 4 << 20, recordTypes: [String]? = nil,
        seen: [ChangeTag] = []
    ) {
        self.zone = zone
        self.token = token
        self.isReversed = isReversed
        self.limit = limit
        self.bytes = bytes
        self.recordTypes = recordTypes
        self.seen = seen
    }
}

/// One page of a zone's feed: the latest state of each record, in the order of their last changes.
package struct FeedPage: Sendable {
    package var records: [StoredRecord]
    package var token: SyncToken
    package var moreComing: Bool
}

/// One page of a database's feed.
package struct DatabaseFeedPage: Sendable {
    package var zones: [Zone]
    package var token: SyncToken
    package var moreComing: Bool
}

/// What a reader of single records has seen of their zone.
package struct KnownPast: Sendable {
    package var token: SyncToken?
    /// Versions that it was told of, beside those before the token.
    package var seen: [ChangeTag]

    package init(token: SyncToken? = nil, seen: [ChangeTag] = []) {
        self.token = token
        self.seen = seen
    }
}
