// The functions that libmicrohttpd calls, on the thread of the connection in question. They only move values between the library and
// ClientConnection; none of them blocks.
//
// Order of calls for one request: target (request line read) · access (headers read) · access (a piece of body)* · access (all read; the
// handler starts, the connection is suspended) · access (resumed; the answer is queued) · completed.

import CGnuTLS
import CMicroHTTPD
import CShimsMicroHTTPD
import Foundation
import Glibc

enum DaemonCallbacks {
    /// TLS 1.2 and newer, in GnuTLS's notation.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
    /// How many bytes of a body that is too long are read and dropped, so that its sender gets to see the answer.
    private static let discardedBytesMax = 64 << 20

    static func startDaemon(on socket: ListenSocket, _ context: HTTPServer.Context) -> OpaquePointer? {
        let configuration = context.configuration
        let contextPointer = Unmanaged.passUnretained(context).toOpaque()
        let threading = configuration.loop == nil ? MHD_USE_EPOLL_INTERNAL_THREAD : MHD_USE_EPOLL
        var flags =
            threading.rawValue | MHD_USE_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue | MHD_USE_TURBO.rawValue
        var options: [MHD_OptionItem] = [
            item(.LISTEN_SOCKET, Int(socket.descriptor)),
            item(.CONNECTION_LIMIT, configuration.connections),
            item(.CONNECTION_MEMORY_LIMIT, configuration.connectionBytes),
            item(.CONNECTION_TIMEOUT, Int(configuration.requestTime / .seconds(1)) + 1),
            item(.SIGPIPE_HANDLED_BY_APP, 1),
            item(.NOTIFY_CONNECTION, unsafeBitCast(connectionChanged, to: Int.self), contextPointer),
            item(.URI_LOG_CALLBACK, unsafeBitCast(targetReceived, to: Int.self), contextPointer),
            item(.NOTIFY_COMPLETED, unsafeBitCast(requestCompleted, to: Int.self), contextPointer),
        ]
        if configuration.loop == nil { options.append(item(.THREAD_POOL_SIZE, max(1, min(configuration.threads, configuration.connections)))) }
        let end = item(.END, 0)
        guard context.currentIdentity != nil else {
            options.append(end)
            return sluice_mhd_start(flags, arrived, accessed, contextPointer, &options)
        }
        flags |= MHD_USE_TLS.rawValue
        // The library parses the text before it returns and does not keep it.
        return priorities.withCString { priorities in
            options.append(item(.HTTPS_CERT_CALLBACK, 0, unsafeBitCast(certificateWanted, to: UnsafeMutableRawPointer.self)))
            options.append(item(.HTTPS_PRIORITIES, 0, UnsafeMutableRawPointer(mutating: priorities)))
            options.append(end)
            return sluice_mhd_start(flags, arrived, accessed, contextPointer, &options)
        }
    }

    private static func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }

    // MARK: Connections

    /// Nobody new is let in once the server is stopping. MHD_quiesce_daemon would say the same, but it takes the listening socket out of a
    /// set that the library's threads take it out of too, and whoever comes second ends the process.
    private static let arrived: MHD_AcceptPolicyCallback = { context, _, _ in
        serverContext(context).map { $0.registry.isDraining ? .NO : .YES } ?? .NO
    }

    private static let connectionChanged:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?, MHD_ConnectionNotificationCode
        ) -> Void = { context, connection, slot, code in
            guard let context = serverContext(context), let connection, let slot else { return }
            if code == .CONNECTION_NOTIFY_STARTED {
                guard let info = sluice_mhd_connection_info(connection, .CONNECTION_INFO_CONNECTION_FD) else { return }
                let client = ClientConnection(
                    descriptor: info.pointee.connect_fd, deadline: context.registry.nextDeadline, identity: context.currentIdentity,
                    resumed: context.configuration.loop.flatMap { $0.waking(daemonOf: connection) })
                context.registry.add(client)
                slot.pointee = Unmanaged.passRetained(client).toOpaque()
            } else if let pointer = slot.pointee {
                let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue()
                slot.pointee = nil
                client.close()
                context.registry.remove(client)
            }
        }

    /// Asked in each handshake. libmicrohttpd leaves its connection in the session (daemon.c, gnutls_session_set_ptr); what is given stays the
    /// connection's, which keeps it for as long as it is open.
    private static let certificateWanted:
        @convention(c) (
            OpaquePointer?, UnsafePointer<gnutls_datum_t>?, Int32, UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
            UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32 = { session, _, _, _, _, chain, count, key in
        guard let identity = client(of: gnutls_session_get_ptr(session).map { OpaquePointer($0) })?.identity else { return -1 }
        chain?.pointee = identity.chain
        count?.pointee = identity.count
        key?.pointee = identity.key
        return 0
    }

    // MARK: Requests

    private static let targetReceived:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, target, connection in
            guard let context = serverContext(context), let client = client(of: connection), let target else { return nil }
            client.begin(target: String(cString: target), deadline: context.registry.nextDeadline)
            return nil
        }

    private static let requestCompleted:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?, MHD_RequestTerminationCode
        ) -> Void = { context, connection, _, _ in
            guard let context = serverContext(context), let client = client(of: connection) else { return }
            client.end(nextDeadline: context.registry.nextDeadline)
        }

    private static let accessed: MHD_AccessHandlerCallback = { context, connection, _, method, _, bytes, byteCount, _ in
        guard let context = serverContext(context), let connection, let client = client(of: connection), let byteCount else { return .NO }
        if let response = client.takeAnswer() { return answer(connection, response, closing: context.registry.isDraining) }
        let isFirstCall = client.receive { incoming in
            defer { if incoming.method == nil { incoming.method = method.map { String(cString: $0) } ?? "" } }
            return incoming.method == nil
        }
        guard let isFirstCall else { return .YES }
        if isFirstCall { return receiveHeaders(connection, client, context) }
        guard byteCount.pointee == 0 else {
            let isAccepted = receive(UnsafeRawBufferPointer(start: bytes, count: byteCount.pointee), client, context)
            byteCount.pointee = 0
            return isAccepted ? .YES : .NO
        }
        endBody(client, context)
        if let refusal = client.receive({ $0.refusal }) ?? nil { return answer(connection, refusal, closing: true) }
        client.start(connection, context.answer)
        return .YES
    }

    private static func receiveHeaders(
        _ connection: OpaquePointer, _ client: ClientConnection, _ context: HTTPServer.Context
    ) -> MHD_Result {
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { headers, _, name, value in
                    guard let headers, let name else { return .NO }
                    headers.assumingMemoryBound(to: HTTPHeaders.self).pointee
                        .append(String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, headers)
        }
        let length = headers["Content-Length"].flatMap(Int.init) ?? 0
        let head = client.receive { HTTPRequest(method: $0.method ?? "", target: $0.target, headers: headers) }
        let sink = head.flatMap { context.configuration.bodySink?($0) }
        let coding = (headers["Content-Encoding"] ?? "identity").lowercased()
        let isCoded = coding == "gzip" || coding == "x-gzip"
        let decoder = isCoded ? GzipDecoder() : nil
        var refusal: HTTPResponse?
        if length > sink?.byteCountMax ?? context.configuration.bodyBytes {
            refusal = context.configuration.bodyTooLarge
        } else if isCoded, decoder == nil {
            refusal = context.configuration.notInTime
        } else if !isCoded, coding != "identity" {
            refusal = context.configuration.codingUnknown
        }
        // A client that asks first is told before it sends. One that just sends would have its connection reset under the answer if
        // that came early, so its body is read and dropped, within bounds.
        if let refusal, headers["Expect"] != nil || length > discardedBytesMax { return answer(connection, refusal, closing: true) }
        _ = client.receive { incoming in
            incoming.headers = headers
            (incoming.sink, incoming.decoder) = (sink, decoder)
            if isCoded, sink == nil { incoming.encodedBody = Data() }
            if let refusal { incoming.refuse(refusal) }
        }
        return .YES
    }

    /// False where even dropping the rest would take too long.
    private static func receive(_ bytes: UnsafeRawBufferPointer, _ client: ClientConnection, _ context: HTTPServer.Context) -> Bool {
        let step = client.receive { incoming -> (isAccepted: Bool, decoder: GzipDecoder?) in
            incoming.receivedCount += bytes.count
            if incoming.receivedCount > incoming.sink?.byteCountMax ?? context.configuration.bodyBytes, incoming.refusal == nil {
                incoming.refuse(context.configuration.bodyTooLarge)
            }
            if incoming.refusal != nil { incoming.discardedBytes += bytes.count }
            if incoming.encodedBody != nil { incoming.encodedBody?.append(contentsOf: bytes) }
            return (incoming.discardedBytes <= discardedBytesMax, incoming.decoder)
        }
        guard let step, step.isAccepted else { return false }
        // Outside the connection's lock, which the clock of all connections takes too.
        guard let decoder = step.decoder else {
            _ = take(bytes, client, context)
            return true
        }
        decoder.decode(bytes) { take($0, client, context) }
        if decoder.state == .malformed { _ = client.receive { $0.refuse(context.configuration.bodyMalformed) } }
        return true
    }

    /// Keeps a piece of the body as handlers see it.
    /// - Returns: false where nothing more of it is wanted.
    private static func take(_ bytes: UnsafeRawBufferPointer, _ client: ClientConnection, _ context: HTTPServer.Context) -> Bool {
        let step = client.receive { incoming -> (isWanted: Bool, sink: (any BodySink)?) in
            guard incoming.refusal == nil else { return (false, nil) }
            incoming.byteCount += bytes.count
            guard incoming.byteCount <= incoming.sink?.byteCountMax ?? context.configuration.bodyBytes else {
                incoming.refuse(context.configuration.bodyTooLarge)
                return (false, nil)
            }
            if incoming.sink == nil { incoming.body.append(contentsOf: bytes) }
            return (true, incoming.sink)
        }
        step?.sink?.receive(bytes)
        return step?.isWanted ?? false
    }

    /// A stream that ends before its end is as bad as one that is broken.
    private static func endBody(_ client: ClientConnection, _ context: HTTPServer.Context) {
        _ = client.receive { incoming in
            guard let decoder = incoming.decoder, incoming.receivedCount > 0, decoder.state != .finished else { return }
            incoming.refuse(context.configuration.bodyMalformed)
        }
    }

    private static func answer(_ connection: OpaquePointer, _ response: HTTPResponse, closing: Bool) -> MHD_Result {
        guard let created = body(of: response) else { return .NO }
        defer { MHD_destroy_response(created) }
        for field in response.headers.fields { MHD_add_response_header(created, field.name, field.value) }
        if closing { MHD_add_response_header(created, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), created)
    }

    private static func body(of response: HTTPResponse) -> OpaquePointer? {
        if let file = response.file, let descriptor = file.take() {
            // The library closes the descriptor with the response.
            let created = MHD_create_response_from_fd_at_offset64(UInt64(file.byteCount), descriptor, UInt64(file.offset))
            if created == nil { close(descriptor) }
            return created
        }
        return response.body.withUnsafeBytes { bytes in
            // With MUST_COPY the library only reads the bytes, before it returns.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
    }

    // MARK: Pointers

    private static func serverContext(_ pointer: UnsafeMutableRawPointer?) -> HTTPServer.Context? {
        pointer.map { Unmanaged<HTTPServer.Context>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func client(of connection: OpaquePointer?) -> ClientConnection? {
        guard let connection, let info = sluice_mhd_connection_info(connection, .CONNECTION_INFO_SOCKET_CONTEXT),
            let pointer = info.pointee.socket_context
        else { return nil }
        return Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    }
}
