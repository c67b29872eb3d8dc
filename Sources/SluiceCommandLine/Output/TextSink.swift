import Glibc
import Synchronization

/// A stream of text that ends in a file descriptor or, for tests, in memory.
///
/// Text for a terminal is written at once; elsewhere results are gathered into pieces of 64 KiB, so that a long one costs few system calls.
package final class TextSink: Sendable {
    private struct State {
        var pending: [UInt8] = []
        /// Writing failed once: the reader is gone, or the disk is full. What comes later is dropped, and `flush` says so.
        var failure: Int32?
    }

    /// Whether a person watches: progress is redrawn in place there.
    package let isTerminal: Bool
    /// Nil keeps everything in memory.
    package let descriptor: Int32?
    private let gathers: Bool
    /// Guards the text that is not written yet.
    private let state = Mutex(State())

    /// - Parameter gathers: false for a log: its lines are wanted now, and after a crash.
    package init(descriptor: Int32, gathers: Bool = true) {
        self.descriptor = descriptor
        self.gathers = gathers
        isTerminal = isatty(descriptor) == 1
    }

    /// Keeps the text, to be read with `contents`.
    package init(inMemoryAsTerminal isTerminal: Bool) {
        descriptor = nil
        gathers = true
        self.isTerminal = isTerminal
    }

    package func write(_ text: String) {
        state.withLock { state in
            state.pending.append(contentsOf: text.utf8)
            if isTerminal || !gathers || state.pending.count >= 65536 { drain(&state) }
        }
    }

    /// False if anything written so far was lost.
    @discardableResult package func flush() -> Bool {
        state.withLock { state in
            drain(&state)
            return state.failure == nil
        }
    }

    /// Why something was lost, in words; nil where nothing was, and where the reader has gone, which is no news to it.
    package var failure: String? {
        state.withLock { state in state.failure.flatMap { $0 == EPIPE ? nil : String(cString: strerror($0)) } }
    }

    /// The text of a sink in memory.
    package var contents: String { state.withLock { String(decoding: $0.pending, as: UTF8.self) } }

    private func drain(_ state: inout State) {
        guard let descriptor else { return }
        var rest = state.failure != nil ? [] : state.pending[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                state.failure = errno
                break
            }
        }
        state.pending.removeAll(keepingCapacity: true)
    }
}
