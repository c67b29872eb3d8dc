// An account whose work kills the process must not take the others down for ever. A file says that the account is in flight: that it
// has work under way, not merely that it runs, so that a crash is counted against the accounts that may have caused it. Whoever finds the
// file at start knows that the last flight did not end well; after three of those in a row the account stays on the ground
// until a person releases it.

import Foundation
import Glibc

struct FlightRecorder {
    /// Bad ends in a row before an account is quarantined.
    static let crashCountMax = 3

    private let directory: StateDirectory
    private let account: String
    /// Bad ends before this run.
    private let crashes: Int
    private var isInFlight = false

    /// - Throws: `CoordinatorError.quarantined`.
    init(_ directory: StateDirectory, account: String) throws {
        self.directory = directory
        self.account = account
        crashes = Self.crashes(in: directory)
        guard crashes < Self.crashCountMax else { throw CoordinatorError.quarantined(account: account, crashes: crashes) }
    }

    /// Work begins.
    mutating func takeOff() throws {
        guard !isInFlight else { return }
        // A crash of the process leaves the page cache alone: no need to wait for the disk.
        try directory.replace(directory.inFlightPath, with: "\(crashes + 1)\n", isDurable: false)
        isInFlight = true
    }

    /// All work ended well: earlier crashes no longer count.
    mutating func land() {
        guard isInFlight else { return }
        unlink(directory.inFlightPath)
        isInFlight = false
    }

    /// A person lets the account fly again.
    static func release(_ directory: StateDirectory) { unlink(directory.inFlightPath) }

    private static func crashes(in directory: StateDirectory) -> Int {
        guard let bytes = FileManager.default.contents(atPath: directory.inFlightPath) else { return 0 }
        return Int(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
