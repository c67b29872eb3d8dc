// Word of changes in a directory, from the kernel (inotify). The directory is watched, never a file: a watch on a file is dead once the
// file is replaced. Only names pass through here; no file is opened.

package import Dispatch
import Glibc

/// Tells when files of one directory are written, come, go or are renamed. Ends when it is let go of.
package final class DirectoryWatch: @unchecked Sendable {
    // Sendable: set once in init; a dispatch source may be cancelled from any thread.

    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - queue: where `onChange` runs; a serial one.
    ///   - onChange: gets the names of files; nil where there were too many changes to name.
    /// - Returns: nil where the system gives no watch: no such directory, or a limit of the user's is reached.
    package init?(of directory: String, queue: DispatchQueue, onChange: @escaping @Sendable (Set<String>?) -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE)
        guard inotify_add_watch(descriptor, directory, events) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { Self.takeAll(from: descriptor, onChange) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Takes everything that waits, so that a burst is one call.
    private static func takeAll(from descriptor: Int32, _ onChange: (Set<String>?) -> Void) {
        var names: Set<String> = []
        var isLost = false
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                isLost = !note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &names) || isLost
            }
        }
        if isLost { onChange(nil) } else if !names.isEmpty { onChange(names) }
    }

    /// Events lie one after the other: watch, mask, cookie and the length of the name, 4 bytes each, then the name, padded with zeros
    /// (man 7 inotify). False where the kernel dropped some.
    private static func note(_ events: UnsafeRawBufferPointer, _ names: inout Set<String>) -> Bool {
        let headerSize = 16
        var isComplete = true
        var position = 0
        while position + headerSize <= events.count {
            let mask = events.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
            let length = Int(events.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
            position += headerSize
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { isComplete = false }
            guard length > 0, position + length <= events.count else { continue }
            let name = UnsafeRawBufferPointer(rebasing: events[position..<position + length])
            names.insert(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            position += length
        }
        return isComplete
    }
}
