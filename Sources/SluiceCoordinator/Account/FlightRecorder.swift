// An account whose work kills the process must not take the others down for ever. A file says that the account is in flight: that it
// has work under way, not merely that it runs, so that a crash is counted against the accounts that may have caused it. Whoever finds the
// file at start knows that the last flight did not end well; after three of those in a row the account stays on the ground
// until a person releases it.

import Foundation
import Glibc

package struct FlightRecorder {
    /// Bad ends in a row before an account is quarantined.
    private static let crashCountMax = 3

    private let directory: StateDirectory
    private let account: String
    /// Bad ends before this flight.
    private var crashes: Int
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
        crashes = 0
        rest()
    }

    /// Nothing is under way, but nothing ended well either: the account waits for a service, a disk or a person. A process that ends now ends
    /// through no fault of this account, and what it did before still counts.
    mutating func rest() {
        guard isInFlight else { return }
        isInFlight = false
        // Where the disk is too full for the number, the crash that it counts too many is forgotten at the next landing.
        if crashes == 0 { unlink(directory.inFlightPath) } else { try? directory.replace(directory.inFlightPath, with: "\(crashes)\n", isDurable: false) }
    }

    /// A person lets a quarantined account fly again. The coordinator that runs the account need not be told: it looks again by itself.
    /// - Returns: false where the account was not quarantined; nothing is then changed.
    package static func release(stateDirectory path: String) throws(CoordinatorError) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let directory = try StateDirectory(path: path)
        guard crashes(in: directory) >= crashCountMax else { return false }
        guard unlink(directory.inFlightPath) == 0 else {
            throw .directoryUnusable(path: directory.inFlightPath, detail: StateDirectory.errorText())
        }
        return true
    }

    private static func crashes(in directory: StateDirectory) -> Int {
        guard let bytes = FileManager.default.contents(atPath: directory.inFlightPath) else { return 0 }
        return Int(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
