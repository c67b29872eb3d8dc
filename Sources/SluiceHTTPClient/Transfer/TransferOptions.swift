import CShimsCurl
import Foundation

/// Sets the options of one easy handle and remembers whether any was refused.
struct TransferOptions {
    let easy: UnsafeMutableRawPointer
    private(set) var isRefused = false

    init(easy: UnsafeMutableRawPointer) { self.easy = easy }

    mutating func apply(_ configuration: HTTPClientConfiguration, to request: HTTPClientRequest) {
        set(CURLOPT_URL, request.url.absoluteString)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // A redirect would carry our credentials to a place that nobody configured.
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_ACCEPT_ENCODING, "gzip")
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        // A second request waits to see whether the first one's new connection can carry both.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // The file takes the place of the system's bundle; the system's folder of authorities (CURLOPT_CAPATH) stays in use beside it.
        if let file = configuration.extraAuthoritiesFile { set(CURLOPT_CAINFO, file) }
        if !configuration.pinnedKeys.isEmpty {
            set(CURLOPT_PINNEDPUBLICKEY, configuration.pinnedKeys.map { "sha256//\($0)" }.joined(separator: ";"))
        }
        if let client = configuration.clientCertificate {
            set(CURLOPT_SSLCERT, client.certificateFile)
            set(CURLOPT_SSLKEY, client.keyFile)
        }
        let isLocal = request.socketPath != nil
        if let path = request.socketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        // An empty text turns off what libcurl would read from the environment by itself.
        set(CURLOPT_PROXY, isLocal ? "" : configuration.proxy.address(for: request.url) ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    mutating func apply(_ timeouts: HTTPTimeouts, remaining: Duration) {
        set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.milliseconds)
        set(CURLOPT_TIMEOUT_MS, remaining.milliseconds)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, max(1, timeouts.idle.milliseconds / 1000))
    }

    mutating func setMethod(of request: HTTPClientRequest, body: UnsafeMutableRawBufferPointer) {
        switch request.method {
        case .head: set(CURLOPT_NOBODY, 1)
        case .get where request.body == nil: set(CURLOPT_HTTPGET, 1)
        default:
            if request.body != nil || request.method != .delete {
                set(CURLOPT_POST, 1)
                set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
                set(CURLOPT_POSTFIELDS, pointer: body.baseAddress)
            }
            set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    // MARK: One setter per type of value

    mutating func set(_ option: CURLoption, _ value: Int) { note(sluice_curl_set_long(easy, option, value)) }

    mutating func set(_ option: CURLoption, size value: Int) { note(sluice_curl_set_size(easy, option, curl_off_t(value))) }

    mutating func set(_ option: CURLoption, _ value: String) { note(sluice_curl_set_text(easy, option, value)) }

    mutating func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) { note(sluice_curl_set_pointer(easy, option, value)) }

    mutating func set(_ option: CURLoption, _ list: UnsafeMutablePointer<curl_slist>?) { note(sluice_curl_set_list(easy, option, list)) }

    mutating func set(_ option: CURLoption, _ receiver: sluice_curl_receiver?) { note(sluice_curl_set_receiver(easy, option, receiver)) }

    private mutating func note(_ code: CURLcode) { if code != CURLE_OK { isRefused = true } }
}

extension Duration {
    /// Rounded up and at least one: libcurl takes 0 for "no limit".
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return max(1, Int(min(seconds, 1_000_000_000)) * 1000 + Int(rest))
    }
}
