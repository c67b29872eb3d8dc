/// Tells a long feed from one that never ends: pages may be empty, and may be many, but a service that answers the same again and again is not
/// asked in a loop.
struct FeedProgress: Sendable {
    /// Pages in a row without records.
    private var emptyPageCount = 0
    /// Pages in a row that changed neither the token nor a row.
    private var stillPageCount = 0

    private static let emptyPageCountMax = 1_000
    private static let stillPageCountMax = 10

    /// Notes a page. Returns false where the feed should be left alone for a while; it is counted anew after that.
    mutating func goesOn(moreComing: Bool, recordCount: Int, isMoving: Bool) -> Bool {
        emptyPageCount = recordCount == 0 ? emptyPageCount + 1 : 0
        stillPageCount = isMoving ? 0 : stillPageCount + 1
        let isStuck = moreComing && (emptyPageCount >= Self.emptyPageCountMax || stillPageCount >= Self.stillPageCountMax)
        if isStuck || !moreComing { self = FeedProgress() }
        return !isStuck
    }
}
