// The texts that open something about one file for a while, without a look into storage: where to upload, what was uploaded, where to
// download. Each is a payload and a code over it that only this service can make; whoever changes a bit has garbage.
//
//     upload     u · expiry (8) · database (8) · token (8) · random (8)         15 minutes
//     receipt    r · database (8) · asset (16)                                  as long as the asset is there
//     download   d · expiry (8) · database (8) · asset (16)                     an hour, or a little more
//
// They travel in the query of a URL, which no log repeats, or in a field's value.

package import Foundation
import SluiceDigest

/// Makes such texts, and reads those that it made.
package struct AssetTickets: Sendable {
    private let key: Data
    private static let codeLength = 16
    static let uploadTime: Int64 = 15 * 60_000
    /// A download URL is good for an hour and at most a quarter more: within a quarter the same file has the same URL.
    static let downloadTime: Int64 = 60 * 60_000
    private static let quarter: Int64 = 15 * 60_000

    /// - Parameter key: what storage keeps for this, 32 random bytes.
    package init(key: Data) { self.key = key }

    package struct Upload: Hashable, Sendable {
        package var database: DatabaseID
        /// Whose rate the upload counts against.
        package var tokenID: Int64
    }

    // MARK: Uploads

    package func upload(_ upload: Upload, now: Int64, random: UInt64) -> String {
        signed("u", [now + Self.uploadTime, upload.database.rawValue, upload.tokenID, Int64(bitPattern: random)], nil)
    }

    /// Nil for what is none, or no longer.
    package func upload(_ text: String, now: Int64) -> Upload? {
        guard let (numbers, _) = read(text, "u", numbers: 4, hasAsset: false), now < numbers[0] else { return nil }
        return Upload(database: DatabaseID(rawValue: numbers[1]), tokenID: numbers[2])
    }

    // MARK: Receipts

    package func receipt(_ asset: AssetID, in database: DatabaseID) -> String { signed("r", [database.rawValue], asset) }

    package func asset(receipt text: String, in database: DatabaseID) -> AssetID? {
        guard let (numbers, asset) = read(text, "r", numbers: 1, hasAsset: true), numbers[0] == database.rawValue else { return nil }
        return asset
    }

    /// Some clients want one; nothing is encrypted with it.
    package func wrappingKey(_ asset: AssetID) -> String {
        Digest.authenticationCode(of: Data("w".utf8) + asset.bytes, key: key).prefix(16).base64EncodedString()
    }

    // MARK: Downloads

    package func download(_ asset: AssetID, in database: DatabaseID, now: Int64) -> String {
        let expiry = (now + Self.downloadTime) / Self.quarter * Self.quarter + Self.quarter
        return signed("d", [expiry, database.rawValue], asset)
    }

    /// Nil for what is none, or no longer.
    package func download(_ text: String, now: Int64) -> (database: DatabaseID, asset: AssetID)? {
        guard let (numbers, asset) = read(text, "d", numbers: 2, hasAsset: true), let asset, now < numbers[0] else { return nil }
        return (DatabaseID(rawValue: numbers[1]), asset)
    }

    // MARK: The code

    private func signed(_ kind: String, _ numbers: [Int64], _ asset: AssetID?) -> String {
        var payload = Data(kind.utf8)
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { payload.append(contentsOf: $0) } }
        if let asset { payload.append(asset.bytes) }
        let text = (payload + Digest.authenticationCode(of: payload, key: key).prefix(Self.codeLength)).base64EncodedString()
        return text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    private func read(_ text: String, _ kind: String, numbers count: Int, hasAsset: Bool) -> (numbers: [Int64], asset: AssetID?)? {
        let length = 1 + 8 * count + (hasAsset ? 16 : 0)
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded).map(Array.init), data.count == length + Self.codeLength, data.first == kind.utf8.first
        else { return nil }
        let expected = Digest.authenticationCode(of: Data(data[..<length]), key: key).prefix(Self.codeLength)
        guard Digest.areEqual(Data(data[length...]), Data(expected)) else { return nil }
        let numbers = (0..<count).map { index in
            data[(1 + 8 * index)..<(9 + 8 * index)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        return (numbers, hasAsset ? AssetID(bytes: Data(data[(length - 16)..<length])) : nil)
    }
}
