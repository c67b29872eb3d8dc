import Foundation
import SluicePostgreSQL
import SluiceSQLite

/// The clock and the randomness that storage is given.
package struct StorageEnvironment: Sendable {
    /// Milliseconds since 1970.
    package var now: @Sendable () -> Int64
    package var random: @Sendable () -> UInt64

    package init(now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.random = random
    }

    package static let system = StorageEnvironment(
        now: { Int64((Date().timeIntervalSince1970 * 1_000).rounded()) }, random: { UInt64.random(in: .min ... .max) })
}

extension StorageError {
    /// What an error of an engine or of the rules is for the caller.
    init(_ error: any Error) {
        switch error {
        case let error as StorageError: self = error
        case let error as SQLiteError where error.isRetryable || .full ~= error.code: self = .overloaded
        case let error as PostgreSQLError: self = .init(error)
        default: self = .unavailable("\(error)")
        }
    }
}
