// The one thread that calls libcurl. Others put orders and cancellations into the inbox and wake the thread; it drives all
// transfers until the client closes it. Invariants:
// 1. Easy handles are touched by the loop's thread only.
// 2. The multi handle is used by other threads for `curl_multi_wakeup` alone, which libcurl allows, and only under the inbox's lock and
//    before `isOver`: so never after it was freed.
// 3. Every order that was accepted is completed exactly once.
// 4. At most `transfersMaximum` transfers to one peer are inside libcurl, besides those that the peer may hold back; the others wait here, first
//    come first served. libcurl's own limit on connections is not used: with 7.88 a transfer that waits for a free connection is sometimes
//    woken only by the next one.

import CShimsCurl
import Foundation
import Synchronization

/// A request on its way into the loop.
struct TransferOrder: Sendable {
    let identifier: UInt64
    let request: HTTPClientRequest
    let timeouts: HTTPTimeouts
    /// When the caller began to wait.
    let start: ContinuousClock.Instant
    let completion: @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    var remainingTime: Duration { timeouts.total - start.duration(to: .now) }

    func fail(_ kind: HTTPClientError.Kind, _ detail: String) {
        completion(.failure(HTTPClientError(kind, host: request.url.host(), detail: detail, requestMayHaveArrived: false)))
    }
}

final class TransferLoop: Sendable {
    private struct Inbox {
        var orders: [TransferOrder] = []
        var cancellations: [UInt64] = []
        var isClosing = false
        /// The thread has ended and the multi handle is gone.
        var isOver = false
    }

    private let configuration: HTTPClientConfiguration
    // Sound by invariant 2.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    /// Guards what other threads hand to the loop's thread.
    private let inbox = Mutex(Inbox())

    /// libcurl counts these calls; the first one sets it up for the process.
    private static let isCurlReady = curl_global_init(sluice_curl_global_all) == CURLE_OK

    init(_ configuration: HTTPClientConfiguration) throws(HTTPClientError) {
        guard Self.isCurlReady, let multi = curl_multi_init() else {
            throw HTTPClientError(.other, host: nil, detail: "libcurl does not start", requestMayHaveArrived: false)
        }
        self.configuration = configuration
        self.multi = multi
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "http client"
        thread.start()
    }

    func add(_ order: TransferOrder) {
        let isAccepted = post { $0.orders.append(order) }
        if !isAccepted { order.fail(.cancelled, "the client is closed") }
    }

    func cancel(_ identifier: UInt64) { _ = post { $0.cancellations.append(identifier) } }

    func close() { _ = post { $0.isClosing = true } }

    /// False if the loop is closing and takes nothing more.
    private func post(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isOver, !inbox.isClosing else { return false }
            change(&inbox)
            curl_multi_wakeup(multi)
            return true
        }
    }

    private func run() {
        blockBrokenPipeSignal()
        var state = State()
        while true {
            let isClosing = inbox.withLock { inbox in
                state.waiting.append(contentsOf: inbox.orders)
                state.cancellations = inbox.cancellations
                (inbox.orders, inbox.cancellations) = ([], [])
                return inbox.isClosing
            }
            if isClosing { break }
            cancelWhatWasAsked(&state)
            var runningCount: Int32 = 0
            repeat {
                beginNext(&state)
                curl_multi_perform(multi, &runningCount)
            } while complete(&state) && !state.waiting.isEmpty
            // Wakes for sockets, for libcurl's own timers and for the inbox; the limit only bounds a wake-up that got lost.
            curl_multi_poll(multi, nil, 0, 10_000, nil)
        }
        for order in state.waiting { order.fail(.cancelled, "the client is closed") }
        for transfer in state.transfers.values {
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.cancel()
        }
        inbox.withLock { $0.isOver = true }
        curl_multi_cleanup(multi)
    }

    /// What only the loop's thread knows.
    private struct State {
        var waiting: [TransferOrder] = []
        var transfers: [UInt64: Transfer] = [:]
        var identifiers: [UnsafeMutableRawPointer: UInt64] = [:]
        var cancellations: [UInt64] = []
        /// Transfers that are not held back, by peer.
        var counts: [String: Int] = [:]
        /// Connections that may be kept open between requests.
        var keptConnections = 0

        /// Takes a transfer out that has ended.
        mutating func remove(_ identifier: UInt64) -> Transfer? {
            guard let transfer = transfers.removeValue(forKey: identifier) else { return nil }
            identifiers[transfer.easy] = nil
            guard !transfer.order.request.mayBeHeld else { return transfer }
            let peer = transfer.order.request.peer
            counts[peer] = counts[peer].flatMap { $0 > 1 ? $0 - 1 : nil }
            return transfer
        }
    }

    private func cancelWhatWasAsked(_ state: inout State) {
        for identifier in state.cancellations {
            if let transfer = state.remove(identifier) {
                curl_multi_remove_handle(multi, transfer.easy)
                transfer.cancel()
            } else if let index = state.waiting.firstIndex(where: { $0.identifier == identifier }) {
                state.waiting.remove(at: index).fail(.cancelled, "")
            }
        }
    }

    private func beginNext(_ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        var left: [TransferOrder] = []
        for order in state.waiting {
            if order.request.mayBeHeld || state.counts[order.request.peer, default: 0] < configuration.transfersMaximum {
                begin(order, in: &state)
            } else {
                left.append(order)
            }
        }
        state.waiting = left
    }

    private func begin(_ order: TransferOrder, in state: inout State) {
        guard order.remainingTime > .zero else { return order.fail(.timeout, "it waited for its turn behind other requests") }
        guard let transfer = Transfer(order, configuration) else {
            return order.fail(.other, "libcurl refuses an option; it is too old or out of memory")
        }
        let code = curl_multi_add_handle(multi, transfer.easy)
        guard code == CURLM_OK else { return order.fail(.other, String(cString: curl_multi_strerror(code))) }
        state.transfers[order.identifier] = transfer
        state.identifiers[transfer.easy] = order.identifier
        if !order.request.mayBeHeld { state.counts[order.request.peer, default: 0] += 1 }
        // A connection for each transfer is worth keeping; one more handshake for each of a thousand long polls is not cheap.
        guard state.transfers.count > state.keptConnections else { return }
        state.keptConnections = max(configuration.transfersMaximum, state.transfers.count)
        _ = sluice_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, state.keptConnections)
    }

    /// True if any transfer came to its end.
    private func complete(_ state: inout State) -> Bool {
        let countBefore = state.transfers.count
        var remainingCount: Int32 = 0
        while let message = curl_multi_info_read(multi, &remainingCount) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = sluice_curl_message_result(message)
            curl_multi_remove_handle(multi, easy)
            guard let identifier = state.identifiers[easy] else { continue }
            state.remove(identifier)?.finish(code)
        }
        return state.transfers.count < countBefore
    }

    /// A peer that goes away while we write would end the process. libcurl's own protection changes the handler of the whole process
    /// for a moment, so it is off (`CURLOPT_NOSIGNAL`), and this thread alone leaves the signal pending.
    private func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
