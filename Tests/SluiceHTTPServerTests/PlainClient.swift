import Foundation
import FuzzFixture
import Glibc

/// One connection of a client that writes bytes by hand, so that tests can be as slow and as wrong as they like. Blocking; not for production.
final class PlainClient {
    struct Answer: Equatable {
        let status: Int
        let headers: String
        let body: String
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws { descriptor = try RawSocket.connection(to: .port(port)) }

    init(unixSocket path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnixAddress(path) { connect(descriptor, $0, $1) }
        guard code == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next answer; nil where the server closed the connection instead.
    func answer() -> Answer? {
        while true {
            if let answer = takeAnswer() { return answer }
            guard readMore() else { return nil }
        }
    }

    /// Whether the server has closed its side, with nothing more to read.
    func isClosed() -> Bool { !readMore() }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer.prefix(count)
        return true
    }

    private func takeAnswer() -> Answer? {
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let headers = String(text[..<end.lowerBound])
        let length = headers.split(separator: "\r\n").compactMap { line -> Int? in
            let sides = line.split(separator: ":", maxSplits: 1)
            return sides.count == 2 && sides[0].lowercased() == "content-length" ? Int(sides[1].trimmingCharacters(in: .whitespaces)) : nil
        }.first ?? 0
        let headerCount = headers.utf8.count + 4
        guard received.count >= headerCount + length else { return nil }
        let body = String(decoding: received[headerCount..<(headerCount + length)], as: UTF8.self)
        received.removeFirst(headerCount + length)
        return Answer(status: Int(headers.split(separator: " ")[1]) ?? 0, headers: headers, body: body)
    }
}

func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}
