import Foundation

extension SwiftDataError {
    static func historyWasDeleted(beyond position: Int64, _ configuration: ModelConfiguration) -> SwiftDataError {
        historyTokenExpired.because(
            "the history of configuration \(configuration.name) was deleted beyond position \(position): "
                + "read the rows themselves, and go on from the newest transaction's token")
    }

    static func historyIsOlder(than position: Int64, _ configuration: ModelConfiguration) -> SwiftDataError {
        historyTokenExpired.because(
            "the token is of position \(position), which is not in the history of configuration \(configuration.name): "
                + "the store was put back to an earlier state. Read the rows themselves, and go on from the newest transaction's token")
    }

    static func noHistory(of type: Any.Type) -> SwiftDataError {
        invalidTransactionFetchRequest.because(
            "no store of the container keeps history as \(type): a store that is filled from another one keeps none; ask that one")
    }
}
