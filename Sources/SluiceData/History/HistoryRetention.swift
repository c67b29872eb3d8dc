/// How much history a store keeps: what is older or more than this is deleted, little by little, when the store is opened and after saves.
///
///     var configuration = ModelConfiguration("Notes")
///     configuration.historyRetention.age = .seconds(7 * 86_400)
///
/// Whole transactions go, the oldest first, with the values that they remember. A token from before what went throws
/// `SwiftDataError.historyTokenExpired`. The newest transaction stays, and so does what a registered reader of the log has not seen. The
/// synced store of a coordinator keeps what its account says, whatever stands here; a store that is only read keeps everything.
public struct HistoryRetention: Hashable, Sendable {
    /// How long a transaction is kept.
    public var age: Duration
    /// How many changes of rows are kept, however young.
    public var changeCount: Int

    /// - Parameters:
    ///   - age: 30 days unless said otherwise.
    ///   - changeCount: a million unless said otherwise; values below 1 keep the newest transaction alone.
    public init(age: Duration = .seconds(30 * 86_400), changeCount: Int = 1_000_000) {
        self.age = age
        self.changeCount = changeCount
    }

    /// Thirty days, and at most a million changes.
    public static let standard = HistoryRetention()
    /// Everything, until `ModelContext.deleteHistory` is called.
    public static let unlimited = HistoryRetention(age: .seconds(Int64.max), changeCount: .max)

    /// The moment before which transactions are too old, in milliseconds since 1970; nil where none is.
    func bound(at now: Int64) -> Int64? {
        let seconds = age.components.seconds
        guard seconds < Int64.max / 2_000 else { return nil }
        return now - seconds * 1_000 - age.components.attoseconds / 1_000_000_000_000_000
    }
}
