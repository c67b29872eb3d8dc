package import Dispatch

/// Tells when files of one directory are written, come, go or are renamed. Ends when it is let go of.
package final class DirectoryWatch: @unchecked Sendable {
    // Sendable: set once in init; a dispatch source may be cancelled from any thread.

    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - queue: where `onChange` runs; a serial one.
    ///   - onChange: gets the names of files; nil where there were too many changes to name.
    /// - Returns: nil where the system gives no watch: no such directory, or a limit of the user's is reached.
    package init?(of directory: String, queue: DispatchQueue, onChange: @escaping @Sendable (Set<String>?) -> Void) {
        guard let events = DirectoryEvents(of: directory, [.names, .writing, .closing]) else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: events.descriptor, queue: queue)
        source.setEventHandler {
            let batch = events.take()
            if batch.isLost { onChange(nil) } else if !batch.names.isEmpty { onChange(batch.names) }
        }
        // The descriptor closes with the events, and must not before the source has let go of it.
        source.setCancelHandler { withExtendedLifetime(events) {} }
        source.activate()
    }

    deinit { source.cancel() }
}
