import Foundation

/// Counts pages of a database that resemble their next image in a log, and pages that do not.
///
/// A transaction changes a few rows of a page and leaves the others, though SQLite may move them about inside the page. So two images of
/// one
/// page share runs of bytes, and the pages of two databases share hardly any.
struct PageResemblance {
    /// Enough to judge by, and a bound on the work.
    static let pageCountMax = 1_000

    private static let runByteCount = 8
    /// A run with more zeros than this says nothing: empty space looks the same everywhere.
    private static let zeroCountMax = 3
    /// A page with fewer runs says nothing.
    private static let runCountMin = 8
    /// Of the runs of the page that has fewer, the part that must be shared.
    private static let sharedPartMin = 0.25
    /// So many pages without one that resembles its next image are no bulk change.
    private static let unlikeCountMin = 4

    private(set) var alike = 0
    private(set) var unlike = 0

    var pageCount: Int { alike + unlike }
    var isMostlyAlike: Bool { alike > unlike }

    func isOtherHistory(_ circumstances: WriteAheadLog.Circumstances) -> Bool {
        if unlike == 0 || isMostlyAlike { return false }
        return circumstances.isDatabaseNewer || alike == 0 && unlike >= Self.unlikeCountMin
    }

    mutating func countMoved() { alike += 1 }

    /// - Returns: whether the two images say anything; an empty page does not.
    mutating func compare(_ old: Data, with new: Data) -> Bool {
        let (before, after) = (Self.runs(of: old), Self.runs(of: new))
        let fewer = min(before.count, after.count)
        guard fewer >= Self.runCountMin else { return false }
        if Double(before.intersection(after).count) >= Double(fewer) * Self.sharedPartMin { alike += 1 } else { unlike += 1 }
        return true
    }

    private static func runs(of page: Data) -> Set<UInt64> {
        var runs: Set<UInt64> = []
        var run: UInt64 = 0
        var zeroCount = runByteCount
        var recent = [UInt8](repeating: 0, count: runByteCount)
        for (index, byte) in content(of: page).enumerated() {
            let slot = index % runByteCount
            zeroCount += (byte == 0 ? 1 : 0) - (recent[slot] == 0 ? 1 : 0)
            recent[slot] = byte
            run = run << 8 | UInt64(byte)
            if index >= runByteCount - 1, zeroCount <= zeroCountMax { runs.insert(run) }
        }
        return runs
    }

    /// The cells of a b-tree page; header and pointers before them change with every row. All of any other page.
    private static func content(of page: Data) -> Data {
        guard let kind = page.first, [0x02, 0x05, 0x0A, 0x0D].contains(kind), page.count >= 512 else { return page }
        let start = Int(page[page.startIndex + 5]) << 8 | Int(page[page.startIndex + 6])
        return start < page.count ? page.dropFirst(start) : Data()
    }
}
