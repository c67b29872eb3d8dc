package import Foundation
import COpenSSL

/// Hashes, through OpenSSL.
package enum Digest {
    package static func sha256(_ data: some DataProtocol) -> Data { hash(data, EVP_sha256(), byteCount: 32) }

    /// For UUIDv5, which is defined over SHA-1 (RFC 9562, section 5.5); never for anything that must resist an attacker.
    package static func sha1(_ data: some DataProtocol) -> Data { hash(data, EVP_sha1(), byteCount: 20) }

    private static func hash(_ data: some DataProtocol, _ algorithm: OpaquePointer?, byteCount: Int) -> Data {
        var digest = Data(count: byteCount)
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        digest.withUnsafeMutableBytes { output in
            // These calls fail only without memory or with an unknown algorithm, and both are named above.
            EVP_DigestInit_ex(context, algorithm, nil)
            for region in data.regions {
                region.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
            }
            EVP_DigestFinal_ex(context, output.bindMemory(to: UInt8.self).baseAddress, nil)
        }
        return digest
    }

    /// A digest over a long stream.
    package struct Stream: ~Copyable {
        private let context: OpaquePointer?

        package init() {
            context = EVP_MD_CTX_new()
            EVP_DigestInit_ex(context, EVP_sha256(), nil)
        }

        deinit { EVP_MD_CTX_free(context) }

        package mutating func update(_ data: Data) {
            data.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        }

        package consuming func finish() -> Data {
            var digest = Data(count: 32)
            digest.withUnsafeMutableBytes { _ = EVP_DigestFinal_ex(context, $0.bindMemory(to: UInt8.self).baseAddress, nil) }
            return digest
        }
    }
}

extension Data {
    /// Lower-case hexadecimal.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
