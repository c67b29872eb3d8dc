import COpenSSL
package import Foundation

/// An ECDSA key pair on P-256, through OpenSSL. Whoever makes or reads it holds a secret: nothing here prints it but `pem`.
///
///     let key = try SigningKey()
///     key.verificationKey.accepts(try key.signature(of: message), of: message)  // true
///
/// `@unchecked`: the handle is set up in `init` and only read afterwards, which OpenSSL allows from any thread.
package final class SigningKey: @unchecked Sendable {
    /// OpenSSL's `EVP_PKEY`; lives as long as this value.
    package let handle: OpaquePointer
    /// The half that anybody may have.
    package let verificationKey: VerificationKey

    /// A new key.
    package init() throws(KeyError) {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1, EVP_PKEY_generate(context, &key) == 1,
            let key
        else { throw KeyError(.cannotMake) }
        handle = key
        verificationKey = try VerificationKey(handle: key)
    }

    /// Reads a private key in PEM, without a passphrase.
    /// - Throws: `KeyError`, which repeats nothing of the text.
    package init(pem: String) throws(KeyError) {
        guard let key = KeyText.read(pem, PEM_read_bio_PrivateKey) else { throw KeyError(.noPrivateKey) }
        guard KeyText.isOnP256(key) else {
            EVP_PKEY_free(key)
            throw KeyError(.noPrivateKey)
        }
        handle = key
        verificationKey = try VerificationKey(handle: key)
    }

    deinit { EVP_PKEY_free(handle) }

    /// PKCS #8, without a passphrase: for a file that only its owner may read.
    package func pem() throws(KeyError) -> String {
        try KeyText.write { PEM_write_bio_PKCS8PrivateKey($0, handle, nil, nil, 0, nil, nil) }
    }

    /// Signs the SHA-256 sum of a message.
    /// - Returns: the signature in DER.
    package func signature(of message: Data) throws(KeyError) -> Data {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1 else { throw KeyError(.cannotSign) }
        // P-256 in DER: two numbers of 33 bytes at most, each with a head of two, and one head around them.
        var signature = Data(count: 72)
        var count = signature.count
        let isSigned = signature.withUnsafeMutableBytes { output in
            message.withUnsafeBytes { input in
                EVP_DigestSign(
                    context, output.bindMemory(to: UInt8.self).baseAddress, &count, input.bindMemory(to: UInt8.self).baseAddress, input.count) == 1
            }
        }
        guard isSigned else { throw KeyError(.cannotSign) }
        return signature.prefix(count)
    }
}

/// The public half of a `SigningKey`.
package struct VerificationKey: Hashable, Sendable {
    /// SubjectPublicKeyInfo in DER, with the point uncompressed: one spelling for each key.
    package let der: Data

    /// Takes what `der` gave.
    package init(storedDER: Data) { der = storedDER }

    /// Reads a public key in PEM, as `openssl ec -pubout` writes it.
    package init(pem: String) throws(KeyError) {
        guard let key = KeyText.read(pem, PEM_read_bio_PUBKEY) else { throw KeyError(.noPublicKey) }
        defer { EVP_PKEY_free(key) }
        guard KeyText.isOnP256(key), EVP_PKEY_set_utf8_string_param(key, "point-format", "uncompressed") == 1 else { throw KeyError(.noPublicKey) }
        try self.init(handle: key)
    }

    fileprivate init(handle: OpaquePointer) throws(KeyError) {
        let count = i2d_PUBKEY(handle, nil)
        guard count > 0 else { throw KeyError(.noPublicKey) }
        var der = Data(count: Int(count))
        der.withUnsafeMutableBytes { bytes in
            var output = bytes.bindMemory(to: UInt8.self).baseAddress
            _ = i2d_PUBKEY(handle, &output)
        }
        self.der = der
    }

    /// What names the key: the SHA-256 sum of its DER form.
    package var identifier: Data { Digest.sha256(der) }

    /// Whether the key's owner signed the SHA-256 sum of `message`; false also for what is no signature.
    package func accepts(_ signature: Data, of message: Data) -> Bool {
        let key = der.withUnsafeBytes { bytes -> OpaquePointer? in
            var input = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_PUBKEY(nil, &input, bytes.count)
        }
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            // What was wrong with a stranger's signature is not the reason of the next failure on this thread.
            ERR_clear_error()
        }
        guard let key, EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count, message.bindMemory(to: UInt8.self).baseAddress,
                    message.count) == 1
            }
        }
    }
}

/// Why a key is of no use. It says nothing of what was read.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable { case cannotMake, cannotSign, cannotWrite, noPrivateKey, noPublicKey }

    package let code: Code

    init(_ code: Code) { self.code = code }

    package var description: String {
        switch code {
        case .cannotMake: "OpenSSL makes no key; check its installation"
        case .cannotSign: "OpenSSL does not sign with the key; make a new one"
        case .cannotWrite: "OpenSSL does not write the key as text; check its installation"
        case .noPrivateKey:
            "not a private key that can be used: PEM, ECDSA on P-256 (prime256v1), without a passphrase; make one with: sluice-records key create"
        case .noPublicKey: "not a public key that can be used: PEM, ECDSA on P-256 (prime256v1); write it with: openssl ec -in PRIVATE -pubout"
        }
    }
}

/// Keys to and from PEM.
private enum KeyText {
    typealias Reader = (
        OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?,
        (@convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32)?, UnsafeMutableRawPointer?
    ) -> OpaquePointer?

    static func read(_ text: String, _ reader: Reader) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        defer { ERR_clear_error() }
        return bytes.withUnsafeBytes { bytes in
            let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(buffer) }
            // Without this OpenSSL would ask for a passphrase on the terminal.
            return reader(buffer, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    static func write(_ write: (OpaquePointer) -> Int32) throws(KeyError) -> String {
        guard let buffer = BIO_new(BIO_s_mem()) else { throw KeyError(.cannotWrite) }
        defer { BIO_free(buffer) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        guard write(buffer) == 1 else { throw KeyError(.cannotWrite) }
        let count = BIO_read(buffer, &bytes, Int32(bytes.count))
        guard count > 0 else { throw KeyError(.cannotWrite) }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }

    static func isOnP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
        return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1"
    }
}
