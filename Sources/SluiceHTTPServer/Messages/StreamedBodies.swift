import Foundation
import Glibc
import Synchronization

/// Takes a request's body piece by piece, for bodies that memory should not hold.
///
/// Made when the headers are read, and released with the request: whatever it has begun ends with it, also where the client goes away.
package protocol BodySink: AnyObject, Sendable {
    /// Bytes that it takes; a longer body is answered like any that is too large.
    var byteCountMax: Int { get }
    /// Called on one of the threads that move bytes, one piece after the other; it should be quick. It has no way to fail: what goes wrong is kept
    /// for the handler.
    func receive(_ bytes: UnsafeRawBufferPointer)
}

/// A file, or a part of one, as the body of an answer: sent from disk, never held in memory.
package final class FileBody: Sendable {
    /// Where in the file the body begins.
    package let offset: Int
    package let byteCount: Int
    private let descriptor: Mutex<Int32?>

    /// - Parameter descriptor: open for reading; it belongs to this value from now on.
    package init(descriptor: Int32, offset: Int = 0, byteCount: Int) {
        self.descriptor = Mutex(descriptor)
        self.offset = offset
        self.byteCount = byteCount
    }

    /// The same file, of which only `part` is sent; nil where it was taken already. This value is of no use afterwards.
    package func narrowed(to part: Range<Int>) -> FileBody? {
        take().map { FileBody(descriptor: $0, offset: offset + part.lowerBound, byteCount: part.count) }
    }

    /// The descriptor, once; whoever takes it closes it.
    func take() -> Int32? { descriptor.withLock { $0.take() } }

    deinit { if let descriptor = descriptor.withLock({ $0.take() }) { close(descriptor) } }
}
