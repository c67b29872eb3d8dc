import CShimsCurl
import Foundation

/// One request inside libcurl, from the order to its completion. It belongs to the loop's thread.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    let order: TransferOrder
    private let bytesMaximum: Int
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// The body at an address that stays; libcurl reads it until the transfer ends, and again if it has to resend.
    private let body: UnsafeMutableRawBufferPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers: [HTTPHeader] = []
    private var version = "1.1"
    private var headerByteCount = 0
    private var received = Data()
    private var isTooLarge = false

    private static let headerBytesMaximum = 256 << 10

    /// Nil if libcurl refuses an option.
    init?(_ order: TransferOrder, _ configuration: HTTPClientConfiguration) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.order = order
        bytesMaximum = configuration.responseBytesMaximum
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        body = .allocate(byteCount: order.request.body?.count ?? 0, alignment: 1)
        if let data = order.request.body { body.copyBytes(from: data) }
        var options = TransferOptions(easy: easy)
        options.apply(configuration, to: order.request)
        options.apply(order.timeouts, remaining: order.remainingTime)
        options.setMethod(of: order.request, body: body)
        makeHeaderList()
        options.set(CURLOPT_HTTPHEADER, headerList)
        options.set(CURLOPT_ERRORBUFFER, pointer: errorText)
        options.set(CURLOPT_MAXFILESIZE_LARGE, size: bytesMaximum)
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.from(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        options.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.from(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        guard !options.isRefused else { return nil }
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        errorText.deallocate()
        body.deallocate()
    }

    func cancel() { order.completion(.failure(error(.cancelled, detail: ""))) }

    func finish(_ code: CURLcode) {
        if code == CURLE_OK {
            var status = 0
            _ = sluice_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            order.completion(.success(HTTPClientResponse(status: status, version: version, headers: headers, body: received)))
        } else {
            let text = errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
            order.completion(.failure(error(isTooLarge ? .tooLarge : HTTPClientError.Kind(code, text: text), detail: text)))
        }
    }

    private func error(_ kind: HTTPClientError.Kind, detail: String) -> HTTPClientError {
        var sentByteCount = 0
        _ = sluice_curl_get_long(easy, CURLINFO_REQUEST_SIZE, &sentByteCount)
        return HTTPClientError(kind, host: order.request.url.host(), detail: detail, requestMayHaveArrived: sentByteCount > 0)
    }

    // MARK: What libcurl calls

    /// The transfer that was given to libcurl; it lives until its handle is removed, and no callback comes after that.
    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { preconditionFailure("libcurl lost the context of a transfer") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    /// Any count but the given one makes libcurl end the transfer.
    private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerByteCount += bytes.count
        guard headerByteCount <= Self.headerBytesMaximum else {
            isTooLarge = true
            return 0
        }
        let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if line.hasPrefix("HTTP/") {
            // A status line begins a new answer: what came before it was interim.
            headers = []
            version = String(line.dropFirst("HTTP/".count).prefix { $0 != " " })
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers.append(HTTPHeader(String(line[..<colon]), value))
        }
        return bytes.count
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count + bytes.count <= bytesMaximum else {
            isTooLarge = true
            return 0
        }
        received.append(contentsOf: bytes)
        return bytes.count
    }

    private func makeHeaderList() {
        let request = order.request
        // A name with a colon and nothing behind it keeps libcurl from sending a header of its own; with a semicolon it is sent empty.
        append("Expect:")
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { append("Content-Type:") }
        for header in request.headers { append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)") }
    }

    private func append(_ line: String) {
        if let list = curl_slist_append(headerList, line) { headerList = list }
    }
}
