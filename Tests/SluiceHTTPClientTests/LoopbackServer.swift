import Foundation
import Glibc
import Synchronization

/// A server that reads one request after the other from each connection and lets the test decide what to answer.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        var head: String
        var body: Data

        func has(_ line: String) -> Bool { head.lowercased().contains(line.lowercased()) }
    }

    enum Answer: Sendable {
        case bytes(String)
        case data(Data)
        /// These bytes, then the connection is closed.
        case last(String)
        /// Closes the connection.
        case close
        /// Says nothing and waits until the client goes.
        case silence
    }

    private struct Log {
        var requests: [Request] = []
        var connectionCount = 0
    }

    let port: Int
    private let listener: Int32
    private let greeting: String
    private let log = Mutex(Log())
    private let answer: @Sendable (Request, Int) -> Answer

    var requests: [Request] { log.withLock { $0.requests } }
    var connectionCount: Int { log.withLock { $0.connectionCount } }

    /// - Parameters:
    ///   - greeting: what is said on each connection before anything is read.
    ///   - answer: gets the request and its number, counted from 1 over all connections.
    init(socketPath: String? = nil, greeting: String = "", _ answer: @escaping @Sendable (Request, Int) -> Answer) throws {
        self.answer = answer
        self.greeting = greeting
        let listener = socket(socketPath == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if let socketPath {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
            try Self.bind(listener, &address)
            port = 0
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try Self.bind(listener, &address)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
        }
        self.listener = listener
        guard listen(listener, 16) == 0 else { throw POSIXError(.EINVAL) }
        // This thread alone closes the listener: a number that is closed elsewhere might already be another server's when it accepts.
        Thread { [weak self] in
            defer { close(listener) }
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                guard let server = self else {
                    close(connection)
                    break
                }
                server.log.withLock { $0.connectionCount += 1 }
                Thread { server.serve(connection) }.start()
            }
        }.start()
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/")! }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) }
        }
        guard result == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        Self.send(Data(greeting.utf8), to: connection)
        var buffer = Data()
        while let request = readRequest(connection, &buffer) {
            let number = log.withLock { log in
                log.requests.append(request)
                return log.requests.count
            }
            switch answer(request, number) {
            case .bytes(let text): Self.send(Data(text.utf8), to: connection)
            case .data(let data): Self.send(data, to: connection)
            case .last(let text):
                Self.send(Data(text.utf8), to: connection)
                return
            case .close: return
            case .silence: break
            }
        }
    }

    private func readRequest(_ connection: Int32, _ buffer: inout Data) -> Request? {
        while true {
            if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst(16)) } ?? 0
                if buffer.endIndex - end.upperBound >= length {
                    let bodyEnd = end.upperBound + length
                    defer { buffer = Data(buffer[bodyEnd...]) }
                    return Request(head: head, body: Data(buffer[end.upperBound..<bodyEnd]))
                }
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer.append(contentsOf: chunk[..<count])
        }
    }

    private static func send(_ data: Data, to connection: Int32) {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.send(connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}

extension LoopbackServer.Answer {
    static func ok(_ body: String) -> Self { .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)") }
}
