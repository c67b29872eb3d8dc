// Word of changes in a directory, from the kernel (inotify). The directory is watched, never a file: a watch on a file is dead once the
// file is replaced. Only names pass through here; no file is opened.

import Glibc

/// One directory that the kernel watches. Its descriptor is readable while there is something to take, and closes with the object.
package final class DirectoryEvents: Sendable {
    package let descriptor: Int32

    /// What is told of.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Files come, go and are renamed.
        package static let names = Kinds(rawValue: UInt32(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM))
        package static let writing = Kinds(rawValue: UInt32(IN_MODIFY))
        /// Somebody who might have written closes a file. A reader with permission to write is one.
        package static let closing = Kinds(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Owner and mode, of files and of the directory.
        package static let permissions = Kinds(rawValue: UInt32(IN_ATTRIB))
        /// The directory itself is removed or gets another name.
        package static let directory = Kinds(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
    }

    /// What has changed since it was last asked.
    package struct Batch: Sendable {
        package var names: Set<String> = []
        /// There were too many changes to name.
        package var isLost = false
        /// Something about the directory itself: it may be gone, or no longer be the one of its path.
        package var concernsDirectory = false

        package var isEmpty: Bool { names.isEmpty && !isLost && !concernsDirectory }
    }

    /// - Returns: nil where the system gives no watch: no such directory, no permission, or a limit of the user's is reached.
    package init?(of directory: String, _ kinds: Kinds) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, directory, kinds.rawValue | UInt32(IN_ONLYDIR)) >= 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes everything that waits, so that a burst is one batch. Does not wait itself.
    package func take() -> Batch {
        var batch = Batch()
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                Self.note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &batch)
            }
        }
        return batch
    }

    /// Events lie one after the other: watch, mask, cookie and the length of the name, 4 bytes each, then the name, padded with zeros
    /// (man 7 inotify).
    private static func note(_ events: UnsafeRawBufferPointer, _ batch: inout Batch) {
        let headerSize = 16
        var position = 0
        while position + headerSize <= events.count {
            let mask = events.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
            let length = Int(events.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
            position += headerSize
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { batch.isLost = true }
            guard length > 0, position + length <= events.count else {
                batch.concernsDirectory = true
                continue
            }
            let name = UnsafeRawBufferPointer(rebasing: events[position..<position + length])
            batch.names.insert(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            position += length
        }
    }
}
