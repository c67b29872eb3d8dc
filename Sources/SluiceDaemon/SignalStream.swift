// Signals as values, by the self-pipe: the handler writes the number into a pipe, which is one of the few things that a handler may do
// (signal-safety(7)), and a dispatch source reads the other end. A dispatch signal source would not do: it registers later than it says,
// and a signal in between is lost.

import Dispatch
import Glibc

/// The signals that a daemon is told by, as values to wait for. One per process, made early by `main`: from then on these signals no
/// longer end the process.
///
///     let signals = SignalStream([SIGTERM, SIGINT])
///     for await signal in signals.values { … }
package final class SignalStream: Sendable {
    /// Each arrival of one of the signals. For one consumer.
    package let values: AsyncStream<Int32>
    /// Unchecked: set up in `init`, then only cancelled in `deinit`; dispatch sources are safe to use from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// The pipe that the handler writes into. It has to be global, since a handler gets nothing but the number.
    private enum Pipe {
        static let ends: (reading: Int32, writing: Int32) = {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return (-1, -1) }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            return (ends[0], ends[1])
        }()
    }

    /// - Precondition: the process may open two more descriptors.
    package init(_ signals: [Int32]) {
        // A daemon that is slow to listen needs to know that a signal came, not how often.
        let (values, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(8))
        self.values = values
        let ends = Pipe.ends
        precondition(ends.reading >= 0, "no descriptors left for the pipe of the signal handler")
        source = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: .global())
        source.setEventHandler {
            var number: UInt8 = 0
            while read(ends.reading, &number, 1) == 1 { continuation.yield(Int32(number)) }
        }
        source.activate()
        for number in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                // A full pipe holds signals enough.
                let failure = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Pipe.ends.writing, &byte, 1)
                errno = failure
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    deinit { source.cancel() }
}
