// How a helper learns of a new generation. The coordinator replaces the pointer after each one, and the kernel tells who watches the
// directory. Where it cannot be watched (it is not there yet, or a limit of the user's is reached), or there is nothing to read, the container
// is looked at once a second; otherwise twice a minute, for a coordinator that was killed between a commit and its word of it.
//
// The watch is on the directory as it was: a look compares it with the one that has its name now, and watches that instead.

import FoundationEssentials
import Glibc
import SluiceSQLite
import SluiceSchema
import Synchronization

/// Waits for generations of one container. It belongs to one thread, which waits; `cancel` may be called by any.
package final class GenerationWatch: @unchecked Sendable {
    // Sendable: everything that changes is touched by the thread that calls `next` only; a descriptor may be written to by any.

    private let container: GroupContainer
    private let staleAfter: Duration?
    private let pollInterval: Duration
    private var events: DirectoryEvents?
    /// Device and number of the directory that is watched.
    private var watched: (device: UInt64, inode: UInt64)?
    private var last: Mark?
    private let isOver = Atomic(false)
    /// A pair of sockets: one can be read once the watch is cancelled, the other wakes it.
    private let cancellation: (reading: Int32, writing: Int32)

    private static let restInterval = Duration.seconds(30)
    /// A writer that never rests makes us look this often, not more.
    private static let shortestInterval = Duration.milliseconds(2)

    /// - Parameter pollInterval: between two looks where the kernel cannot watch, or nothing can be read.
    package init(_ container: GroupContainer, staleAfter: Duration?, pollInterval: Duration) {
        self.container = container
        self.staleAfter = staleAfter
        self.pollInterval = pollInterval
        var ends: [Int32] = [-1, -1]
        // Without one (the process has too many descriptors) the watch cannot be woken, and ends at its next look.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        _ = socketpair(AF_UNIX, Int32(kind), 0, &ends)
        cancellation = (ends[0], ends[1])
    }

    deinit {
        for end in [cancellation.reading, cancellation.writing] where end >= 0 { close(end) }
    }

    /// Ends the waiting, now or when it begins.
    package func cancel() {
        isOver.store(true, ordering: .releasing)
        _ = Glibc.write(cancellation.writing, [0], 1)
    }

    /// Waits until there is something new; the first answer comes at once.
    /// - Parameter reader: a descriptor whose other end may go away, which ends the waiting too; nil for none.
    /// - Returns: nil after `cancel`, or when the reader has gone.
    package func next(whileOpen reader: Int32? = nil) -> ContainerStatus? {
        while true {
            watchDirectory()
            let begin = ContinuousClock.now
            let now = Date()
            let status = container.status(staleAfter: staleAfter, at: now)
            let mark = Mark(status)
            let isNew = mark != last
            last = mark
            if isOver.load(ordering: .acquiring) { return nil }
            if isNew { return status }
            guard wait(until: begin + interval(after: status, at: now), reader) else { return nil }
            guard rest(until: begin + Self.shortestInterval, reader) else { return nil }
        }
    }

    /// What makes one answer another than the one before: a sync that changed nothing does not.
    private struct Mark: Equatable {
        let word: String
        let generation: Int64?
        let schemaVersion: SchemaVersion?
        let progress: MigrationProgress?
        let error: ReaderError?

        init(_ status: ContainerStatus) {
            word = status.word
            generation = status.summary?.generation
            schemaVersion = status.summary?.schemaVersion
            if case .migrating(let progress, _) = status { self.progress = progress } else { progress = nil }
            if case .unavailable(let error) = status { self.error = error } else { error = nil }
        }
    }

    /// How long nobody need look, if nothing stirs.
    private func interval(after status: ContainerStatus, at now: Date) -> Duration {
        guard events != nil, let summary = status.summary else { return pollInterval }
        guard let staleAfter, case .current = status, let lastSync = summary.lastSync else { return Self.restInterval }
        let left = .seconds(lastSync.timeIntervalSince(now)) + staleAfter
        return min(max(left, .zero) + .milliseconds(1), Self.restInterval)
    }

    // MARK: Waiting

    /// Waits for a sign of life, at most until `end`.
    /// - Returns: false after `cancel`, or when the reader has gone.
    private func wait(until end: ContinuousClock.Instant, _ reader: Int32?) -> Bool {
        while true {
            let left = end - .now
            if left <= .zero { return true }
            switch wait(left, for: events?.descriptor, reader) {
            case .ended: return false
            case .nothing: continue
            case .event: if takeEvents() { return true }
            }
        }
    }

    private func rest(until end: ContinuousClock.Instant, _ reader: Int32?) -> Bool {
        let left = end - .now
        return left <= .zero || wait(left, for: nil, reader) != .ended
    }

    private enum Wake { case ended, event, nothing }

    private func wait(_ duration: Duration, for watch: Int32?, _ reader: Int32?) -> Wake {
        // A negative descriptor is passed over (man 2 poll). An error at the reader's end is told without being asked for.
        var descriptors = [
            pollfd(fd: cancellation.reading, events: Int16(POLLIN), revents: 0), pollfd(fd: watch ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reader ?? -1, events: 0, revents: 0),
        ]
        let milliseconds = Int32(clamping: Int64((duration / .milliseconds(1)).rounded(.up)))
        guard poll(&descriptors, 3, milliseconds) > 0 else { return .nothing }
        if descriptors[0].revents != 0 || descriptors[2].revents & Int16(POLLERR | POLLNVAL) != 0 { return .ended }
        return descriptors[1].revents != 0 ? .event : .nothing
    }

    /// Whether one of the events is about the pointer, or may be.
    private func takeEvents() -> Bool {
        guard let batch = events?.take() else { return false }
        if batch.concernsDirectory { watched = nil }
        return batch.isLost || batch.concernsDirectory || batch.names.contains(LocalStoreFile.pointerName)
    }

    // MARK: The directory

    /// Watches the directory that has the container's name now.
    private func watchDirectory() {
        var status = stat()
        guard stat(container.directory, &status) == 0 else {
            (events, watched) = (nil, nil)
            return
        }
        if let watched, watched == (UInt64(status.st_dev), UInt64(status.st_ino)), events != nil { return }
        events = DirectoryEvents(of: container.directory, [.names, .permissions, .directory])
        watched = events == nil ? nil : (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
