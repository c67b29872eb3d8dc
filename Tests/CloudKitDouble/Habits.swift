/// What the service does where the document leaves room, or says that it was seen both ways.
package struct Habits: Sendable {
    package enum TokenRotation: Sendable {
        /// Every answer has a new token; old ones go on being taken, as is seen of the real service.
        case lenient
        /// Every answer has a new token, and the one that it was asked with is of no use any more, as Apple writes.
        case strict
    }

    package var rotation = TokenRotation.lenient
    /// Operations that one request may carry.
    package var operationsMaximum = 200
    /// Bytes that one request may have.
    package var bodyBytesMaximum = 1_000_000
    /// Records on a page of a feed.
    package var pageRecords = 200
    /// Empty pages with `moreComing` that come before each page with records.
    package var emptyPages = 1
    /// A feed that never moves: the same page with the same token again and again, and more to come each time.
    package var isFeedStuck = false
    /// Every zone is atomic, whatever was asked for.
    package var isAlwaysAtomic = false
    /// Of an answer to an atomic batch that failed: 200, or 400 as one client recorded it.
    package var atomicFailureStatus = 200
    /// Milliseconds until a query finds what was written.
    package var queryLag: Int64 = 3_000
    /// A request with one of these records in it is refused as a whole.
    package var unreadableRecords: Set<String> = []
    /// Whether a zone that is gone is listed as merely changed.
    package var listsDeletedZonesAsChanged = false
    /// Fields that a locked schema has none of.
    package var unknownFields: Set<String> = []

    package init() {}
}
