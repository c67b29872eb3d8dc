import SluiceRecords

/// What the feed is going to repeat: what this device has just sent. Names and change tags are enough to know it by, so while there is much of it
/// pages are asked for without fields.
struct ExpectedEchoes {
    private var count = 0
    /// Whether the page that is on its way was asked for without fields.
    private(set) var isBare = false

    /// Fewer echoes than this come in one page with what others wrote; asking twice for that would take longer.
    private static let countMin = 500

    /// The service has taken so many records more.
    mutating func expect(_ more: Int) { count += more }

    /// How the next page is asked for.
    /// - Parameter hasToken: whether the feed goes on from somewhere.
    mutating func askForBarePage(_ hasToken: Bool) -> Bool {
        isBare = hasToken && count >= Self.countMin
        return isBare
    }

    /// Looks at a page that came.
    /// - Returns: false where it came bare and holds something new: then the same page has to come in full.
    mutating func take(_ page: ZoneChanges, isKnown: (RecordResult) throws -> Bool) rethrows -> Bool {
        guard try !isBare || page.records.allSatisfy(isKnown) else {
            count = 0
            return false
        }
        count = max(0, count - page.records.count)
        return true
    }
}
