import Foundation
import Synchronization

/// Saves a context of the main actor once it has been quiet for a second.
final class Autosave: Sendable {
    private let scheduled = Mutex<Task<Void, Never>?>(nil)

    /// How long a context is quiet before it is saved.
    private static let delay = Duration.seconds(1)

    /// Starts the wait anew.
    func schedule(_ save: @escaping () throws -> Void) {
        // Only `mainContext` saves by itself: its edits and this task are both on the main actor, so the closure never crosses.
        nonisolated(unsafe) let save = save
        let task = Task { @MainActor in
            // A wait that is cancelled saves nothing.
            guard (try? await Task.sleep(for: Self.delay)) != nil, !Task.isCancelled else { return }
            do { try save() } catch { Self.report(error) }
        }
        scheduled.withLock {
            $0?.cancel()
            $0 = task
        }
    }

    func cancel() {
        scheduled.withLock {
            $0?.cancel()
            $0 = nil
        }
    }

    /// Nobody called, so nobody can be thrown at; the changes are still pending.
    private static func report(_ error: any Error) {
        FileHandle.standardError.write(Data("SluiceData: an autosave failed, its changes are still pending: \(error)\n".utf8))
    }
}
