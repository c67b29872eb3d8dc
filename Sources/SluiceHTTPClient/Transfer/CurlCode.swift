import CShimsCurl

extension HTTPClientError.Kind {
    /// What libcurl's code means to a caller.
    /// - Parameter text: what libcurl says besides.
    init(_ code: CURLcode, text: String) {
        // With TLS 1.3 a peer says after the handshake what it did not like about it: the first answer is an alert.
        let isAlert = text.contains("SSL routines") && text.contains("alert")
        switch code {
        case CURLE_RECV_ERROR where isAlert, CURLE_SEND_ERROR where isAlert: self = .tls
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .invalidRequest
        case CURLE_COULDNT_RESOLVE_HOST: self = .resolve
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxy
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: self = .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED: self = .tls
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            self = .certificate
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pinnedKey
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .reset
        case CURLE_FILESIZE_EXCEEDED: self = .tooLarge
        default: self = .other
        }
    }
}
