// Stands between coordinators and a service and carries their bytes, which stay encrypted: what goes wrong on the way does so between real
// processes and inside real TLS. What happens to a connection is drawn from a seed when it comes; partitions and calm are the test's word.
//
// One thread polls all sockets. A fault waits for a flight of bytes, not for a time: the first flight of a client is its ClientHello, the second
// ends the handshake and is, or is followed by, a request.

import Foundation
import Glibc
import Synchronization

/// A TCP forwarder on 127.0.0.1 that breaks connections on purpose. Made by a test, ended by `close`.
final class FaultProxy: Sendable {
    /// What goes wrong with one connection.
    enum Fault: CaseIterable {
        /// Every chunk comes late.
        case delay
        /// A few bytes at a time.
        case slow
        /// A request is swallowed, and both sides are reset.
        case cutBefore
        /// A request reaches the service; its answer is swallowed and the client reset.
        case cutAfter
        /// Both sides are reset in the middle of an answer.
        case reset
        /// The service's side is told that the client sends no more, in the middle of a request.
        case halfClose
        /// The service is called twice; the second call hears the first flight and nothing more.
        case duplicate
    }

    enum Direction { case toService, toClient }

    private struct Contents {
        var target: UInt16
        var isCalm = false
        var blocked: Set<Direction> = []
        var isClosing = false
        var counts: [Fault: Int] = [:]
    }

    let port: UInt16
    private let contents: Mutex<Contents>
    private let listener: Int32
    private let random: SeededDraws

    /// Forwards to a port of 127.0.0.1.
    init(to target: Int, seed: UInt64) throws {
        contents = Mutex(Contents(target: UInt16(target)))
        random = SeededDraws(seed: seed)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        self.listener = listener
        guard bound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { self.run() }
        thread.name = "fault proxy"
        thread.start()
    }

    // MARK: The test's word

    /// From now on bytes in these directions wait, on old connections and new ones; none: nothing waits.
    func block(_ directions: Set<Direction>) { contents.withLock { $0.blocked = directions } }

    /// From now on nothing goes wrong; what is broken already is cut.
    func calm() { contents.withLock { ($0.isCalm, $0.blocked) = (true, []) } }

    func close() { contents.withLock { $0.isClosing = true } }

    /// How many connections each fault has met.
    var counts: [Fault: Int] { contents.withLock { $0.counts } }

    // MARK: The thread

    private func run() {
        signal(SIGPIPE, SIG_IGN)
        var links: [Link] = []
        while true {
            let now = contents.withLock { $0 }
            if now.isClosing { break }
            if now.isCalm { links.removeAll { $0.endIfBroken() } }
            var descriptors = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            for link in links { descriptors += link.interest(blocked: now.blocked) }
            // The limit bounds how late a word of the test is heard.
            guard poll(&descriptors, nfds_t(descriptors.count), 10) >= 0 else { continue }
            if descriptors[0].revents != 0, let link = accept(now) { links.append(link) }
            links.removeAll { !$0.step(blocked: now.blocked) }
        }
        for link in links { link.end(resetting: false) }
        Glibc.close(listener)
    }

    private func accept(_ now: Contents) -> Link? {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return nil }
        guard let service = Self.connect(to: now.target) else {
            Glibc.close(client)
            return nil
        }
        // Half of all connections are sound, or nothing would ever come to an end.
        let draw = random.next()
        let fault = now.isCalm || draw & 1 == 0 ? nil : Fault.allCases[Int((draw >> 8) % UInt64(Fault.allCases.count))]
        if let fault { contents.withLock { $0.counts[fault, default: 0] += 1 } }
        let copy = fault == .duplicate ? Self.connect(to: now.target) : nil
        return Link(client: client, service: service, copy: copy, fault: fault, flight: 2 + Int((draw >> 32) % 3))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        Glibc.close(descriptor)
        return nil
    }
}
