package import Foundation
import COpenSSL

extension Digest {
    /// HMAC with SHA-256 (RFC 2104): proves that who made `data` up had the key.
    package static func authenticationCode(of data: Data, key: Data) -> Data {
        var code = Data(count: 32)
        code.withUnsafeMutableBytes { output in
            key.withUnsafeBytes { key in
                data.withUnsafeBytes { bytes in
                    // Fails only without memory or with an unknown algorithm; then the code stays zero and matches nothing that was signed.
                    _ = HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                        output.bindMemory(to: UInt8.self).baseAddress, nil)
                }
            }
        }
        return code
    }

    /// Whether two codes are equal, in a time that does not tell where they differ.
    package static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
