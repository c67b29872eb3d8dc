import CGnuTLS
import Foundation

/// A certificate chain and its key, read and found to belong together, in the form in which GnuTLS takes them in a handshake.
///
/// `@unchecked`: set up in `init` and only read afterwards, which GnuTLS does from the threads of all connections.
final class ServerIdentity: @unchecked Sendable {
    let chain: UnsafeMutablePointer<gnutls_pcert_st>
    let count: UInt32
    let key: gnutls_privkey_t

    /// Certificates in a chain; a longer one is refused.
    private static let chainMax: UInt32 = 16

    /// - Throws: `HTTPServerError`, which repeats nothing of either text.
    init(_ identity: TLSIdentity) throws(HTTPServerError) {
        try Self.checkPair(identity)
        let chain = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Int(Self.chainMax))
        var found = Self.chainMax
        let code = Self.withDatum(identity.certificate) { gnutls_pcert_list_import_x509_raw(chain, &found, $0, GNUTLS_X509_FMT_PEM, 0) }
        guard code >= 0, found > 0 else {
            chain.deallocate()
            throw Self.error(code)
        }
        var key: gnutls_privkey_t?
        var keyCode = gnutls_privkey_init(&key)
        if keyCode >= 0 { keyCode = Self.withDatum(identity.privateKey) { gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) } }
        guard keyCode >= 0, let key else {
            gnutls_privkey_deinit(key)
            for index in 0..<Int(found) { gnutls_pcert_deinit(chain + index) }
            chain.deallocate()
            throw Self.error(keyCode)
        }
        (self.chain, count, self.key) = (chain, found, key)
    }

    deinit {
        for index in 0..<Int(count) { gnutls_pcert_deinit(chain + index) }
        chain.deallocate()
        gnutls_privkey_deinit(key)
    }

    private static func checkPair(_ identity: TLSIdentity) throws(HTTPServerError) {
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) >= 0 else { throw error(GNUTLS_E_MEMORY_ERROR) }
        defer { gnutls_certificate_free_credentials(credentials) }
        let code = withDatum(identity.certificate) { certificate in
            withDatum(identity.privateKey) { gnutls_certificate_set_x509_key_mem(credentials, certificate, $0, GNUTLS_X509_FMT_PEM) }
        }
        guard code >= 0 else { throw error(code) }
    }

    private static func error(_ code: Int32) -> HTTPServerError {
        HTTPServerError(
            code: .cannotStart, subject: "certificate and key",
            detail: "\(String(cString: gnutls_strerror(code))); check that both are PEM, without a passphrase, and belong together")
    }

    private static func withDatum<Result>(_ text: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Result) -> Result {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBufferPointer { bytes in
            var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
            return body(&datum)
        }
    }
}
