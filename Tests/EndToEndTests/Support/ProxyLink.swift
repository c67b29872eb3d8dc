import Glibc

extension FaultProxy {
    /// One connection through the proxy: two sockets, what waits between them, and what is to go wrong. Used on the proxy's thread.
    final class Link {
        private let client: Int32
        private let service: Int32
        /// A second call of the service, which hears the first flight only.
        private let copy: Int32?
        private let fault: Fault?
        /// The client's flight at which it goes wrong, from 1.
        private let fatalFlight: Int
        private var flight = 0
        private var isClientSpeaking = false
        private var toService = Bytes()
        private var toClient = Bytes()
        /// From now on what the service says is swallowed, so many bytes so far.
        private var swallowed: Int?
        private var isHalfClosed = false

        /// More than the session tickets that follow a handshake: an answer was among it.
        private static let answerBytes = 800
        private static let delay = Duration.milliseconds(30)

        /// Bytes on their way in one direction.
        private struct Bytes {
            var waiting: [UInt8] = []
            var isAtEnd = false
            var notBefore = ContinuousClock.now
        }

        init(client: Int32, service: Int32, copy: Int32?, fault: Fault?, flight: Int) {
            (self.client, self.service, self.copy, self.fault, fatalFlight) = (client, service, copy, fault, flight)
        }

        func interest(blocked: Set<Direction>) -> [pollfd] {
            [
                pollfd(fd: client, events: events(reads: toService, blocked.contains(.toService), writes: toClient, blocked.contains(.toClient)), revents: 0),
                pollfd(fd: service, events: events(reads: toClient, blocked.contains(.toClient), writes: toService, blocked.contains(.toService)), revents: 0),
            ]
        }

        private func events(reads: Bytes, _ readsBlocked: Bool, writes: Bytes, _ writesBlocked: Bool) -> Int16 {
            var events: Int32 = 0
            if !reads.isAtEnd, reads.waiting.isEmpty, !readsBlocked { events |= POLLIN }
            if !writes.waiting.isEmpty, !writesBlocked, ContinuousClock.now >= writes.notBefore { events |= POLLOUT }
            return Int16(events)
        }

        /// Moves what can be moved. Returns false where the connection is over.
        func step(blocked: Set<Direction>) -> Bool {
            if !blocked.contains(.toService) {
                guard read(client, into: &toService, isFromClient: true), write(&toService, to: service) else { return end(resetting: true) }
            }
            if !blocked.contains(.toClient) {
                guard read(service, into: &toClient, isFromClient: false), write(&toClient, to: client) else { return end(resetting: true) }
            }
            if toService.isAtEnd, toService.waiting.isEmpty, toClient.isAtEnd, toClient.waiting.isEmpty { return end(resetting: false) }
            return true
        }

        /// Ends a connection whose fault keeps it from coming to anything. Returns whether it did.
        func endIfBroken() -> Bool {
            guard swallowed != nil || isHalfClosed || fault == .slow else { return false }
            return !end(resetting: true)
        }

        /// Closes both sides; returns false.
        @discardableResult
        func end(resetting: Bool) -> Bool {
            for descriptor in [client, service, copy].compactMap({ $0 }) {
                if resetting {
                    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
                    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
                }
                Glibc.close(descriptor)
            }
            return false
        }

        /// Returns false where the connection is to be cut.
        private func read(_ descriptor: Int32, into bytes: inout Bytes, isFromClient: Bool) -> Bool {
            guard !bytes.isAtEnd, bytes.waiting.isEmpty else { return true }
            var buffer = [UInt8](repeating: 0, count: fault == .slow ? 512 : 65_536)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            guard count > 0 else {
                bytes.isAtEnd = true
                shutdown(isFromClient ? service : client, Int32(SHUT_WR))
                return true
            }
            if isFromClient, !isClientSpeaking { flight += 1 }
            isClientSpeaking = isFromClient
            bytes.waiting = Array(buffer.prefix(count))
            if fault == .delay || fault == .slow { bytes.notBefore = .now + Self.delay }
            if isFromClient, flight == 1, let copy { send(copy, bytes.waiting, bytes.waiting.count, Int32(MSG_DONTWAIT)) }
            return survives(&bytes, isFromClient: isFromClient)
        }

        private func survives(_ bytes: inout Bytes, isFromClient: Bool) -> Bool {
            if let count = swallowed, !isFromClient {
                swallowed = count + bytes.waiting.count
                bytes.waiting = []
                return swallowed ?? 0 < Self.answerBytes
            }
            guard flight >= fatalFlight else { return true }
            switch fault {
            case .cutBefore: return !isFromClient
            case .cutAfter: if isFromClient, swallowed == nil { swallowed = 0 }
            case .reset: return isFromClient
            case .halfClose where isFromClient && !isHalfClosed:
                isHalfClosed = true
                bytes.waiting = Array(bytes.waiting.prefix(bytes.waiting.count / 2))
                // What is left of it goes before the end does.
                if !write(&bytes, to: service) { return false }
                shutdown(service, Int32(SHUT_WR))
            default: break
            }
            return true
        }

        private func write(_ bytes: inout Bytes, to descriptor: Int32) -> Bool {
            guard !bytes.waiting.isEmpty, ContinuousClock.now >= bytes.notBefore else { return true }
            let count = send(descriptor, bytes.waiting, bytes.waiting.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            bytes.waiting.removeFirst(count)
            return true
        }
    }
}
