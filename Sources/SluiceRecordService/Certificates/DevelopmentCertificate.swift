// A certificate authority of one's own and a server certificate from it, for development and private networks: ECDSA on P-256, made with
// OpenSSL's X.509 functions. Clients trust the authority's certificate, which may be shown to anybody; the keys stay with their owner.

import COpenSSL
package import Foundation
import SluiceDigest

/// A freshly made authority and one server certificate that it signed, as PEM text.
package struct DevelopmentCertificate: Sendable {
    package let authority: String
    package let authorityKey: String
    package let server: String
    package let serverKey: String

    /// How long each is valid. Common clients refuse server certificates of more than 825 days.
    private static let authorityDays = 3_650
    private static let serverDays = 825

    /// - Parameters:
    ///   - names: host names and IP addresses that the server is reached by; the first one is its common name.
    ///   - now: the start of the validity.
    package static func make(for names: [String], now: Date) throws(CertificateError) -> DevelopmentCertificate {
        guard let name = names.first else { throw CertificateError(step: "names", detail: "give at least one host name or address") }
        for name in names where name.isEmpty || !name.utf8.allSatisfy(isNameByte) {
            throw CertificateError(step: "names", detail: "'\(name)' is no host name or address")
        }
        let authorityKey = try newKey()
        let authority = try Certificate(
            commonName: "Sluice development authority", key: authorityKey, from: now, days: authorityDays, issuer: nil,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
        let key = try newKey()
        let server = try Certificate(
            commonName: name, key: key, from: now, days: serverDays, issuer: (authority, authorityKey),
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                // Strict verifiers want both identifiers in every certificate that is not self-signed.
                (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
                (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, names.map(alternativeName).joined(separator: ",")),
            ])
        return DevelopmentCertificate(
            authority: try authority.pem(), authorityKey: try text(of: authorityKey), server: try server.pem(), serverKey: try text(of: key))
    }

    private static func newKey() throws(CertificateError) -> SigningKey {
        do throws(KeyError) { return try SigningKey() } catch { throw CertificateError(step: "key", detail: error.description) }
    }

    private static func text(of key: SigningKey) throws(CertificateError) -> String {
        do throws(KeyError) { return try key.pem() } catch { throw CertificateError(step: "key", detail: error.description) }
    }

    /// Letters, digits, `.`, `-`, `:` and `*`: nothing that OpenSSL's extension syntax gives a meaning.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || [0x2E, 0x2D, 0x3A, 0x2A].contains(byte)
    }

    private static func alternativeName(_ name: String) -> String {
        var address = in6_addr()
        let isAddress = inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
        return (isAddress ? "IP:" : "DNS:") + name
    }
}

/// Which step of making a certificate OpenSSL refused, and its words for it.
package struct CertificateError: Error, CustomStringConvertible {
    package let step: String
    package let detail: String

    package var description: String { "certificate, \(step): \(detail)" }

    init(step: String, detail: String) {
        self.step = step
        self.detail = detail
    }

    /// Takes the newest error out of OpenSSL's queue.
    init(step: String) {
        var buffer = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &buffer, buffer.count)
        self.init(step: step, detail: String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}

/// Owns an X509.
private final class Certificate {
    let handle: OpaquePointer

    init(
        commonName: String, key: SigningKey, from start: Date, days: Int, issuer: (certificate: Certificate, key: SigningKey)?,
        extensions: [(Int32, String)]
    ) throws(CertificateError) {
        guard let handle = X509_new() else { throw CertificateError(step: "certificate") }
        self.handle = handle
        let seconds = time_t(start.timeIntervalSince1970)
        var isMade = X509_set_version(handle, 2) == 1 && Self.setSerial(handle)
        // A minute back, for clocks that are not quite together.
        isMade = isMade && ASN1_TIME_set(X509_getm_notBefore(handle), seconds - 60) != nil
        isMade = isMade && ASN1_TIME_set(X509_getm_notAfter(handle), seconds + days * 86_400) != nil
        isMade = isMade && X509_set_pubkey(handle, key.handle) == 1
        let name = X509_get_subject_name(handle)
        isMade = isMade && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, -1, -1, 0) == 1
        isMade = isMade && X509_set_issuer_name(handle, X509_get_subject_name(issuer?.certificate.handle ?? handle)) == 1
        guard isMade else { throw CertificateError(step: "certificate of \(commonName)") }
        for (kind, value) in extensions { try add(kind, value, issuer: issuer?.certificate.handle ?? handle) }
        guard X509_sign(handle, (issuer?.key ?? key).handle, EVP_sha256()) > 0 else { throw CertificateError(step: "signature of \(commonName)") }
    }

    deinit { X509_free(handle) }

    func pem() throws(CertificateError) -> String {
        try text("certificate") { PEM_write_bio_X509($0, handle) }
    }

    /// Twenty random bytes, positive (RFC 5280, section 4.1.2.2).
    private static func setSerial(_ handle: OpaquePointer) -> Bool {
        let number = BN_new()
        defer { BN_free(number) }
        return BN_rand(number, 159, 0, 0) == 1 && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle)) != nil
    }

    private func add(_ kind: Int32, _ value: String, issuer: OpaquePointer) throws(CertificateError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, handle, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else { throw CertificateError(step: "extension \(value)") }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(handle, made, -1) == 1 else { throw CertificateError(step: "extension \(value)") }
    }
}

/// What `write` puts into a memory buffer.
private func text(_ step: String, _ write: (OpaquePointer) -> Int32) throws(CertificateError) -> String {
    guard let buffer = BIO_new(BIO_s_mem()) else { throw CertificateError(step: step) }
    defer { BIO_free(buffer) }
    guard write(buffer) == 1 else { throw CertificateError(step: step) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = BIO_read(buffer, &bytes, Int32(bytes.count))
    guard count > 0 else { throw CertificateError(step: step) }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
}
