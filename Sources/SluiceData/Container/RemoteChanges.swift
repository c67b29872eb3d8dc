public import Foundation
import SluiceStore
import Synchronization

extension ModelContainer {
    /// Posted when another process, or another program, has committed to one of the container's stores; the object is the container, the
    /// user info has the store's identifier under `storeIdentifier` and, under `historyToken`, its newest token where it keeps history.
    ///
    /// Watching costs a little for each open store, so it begins when somebody first asks for this name. It is posted on a thread of the
    /// watch's.
    public static var remoteChange: Notification.Name {
        RemoteChanges.begin()
        return RemoteChanges.name
    }

    /// Closes the container: no store can be read or written by it any more, and it watches nothing.
    ///
    /// Its contexts then throw on every fetch and save; models keep the values they have. Other containers of the same files are not
    /// touched.
    public func invalidate() {
        remoteChanges.end()
        for store in bindings.stores { store.close() }
    }

    /// Whether `invalidate()` was called.
    var isInvalidated: Bool { bindings.stores.contains(where: \.isClosed) }
}

/// What one container does for `remoteChange`.
final class RemoteChanges: Sendable {
    static let name = Notification.Name("SluiceData.ModelContainer.remoteChange")

    private struct Wish {
        var isThere = false
        var containers: [WeakContainer] = []
    }

    private struct WeakContainer {
        weak var container: ModelContainer?
    }

    private static let wish = Mutex(Wish())
    private let listenings = Mutex<[Listening]>([])

    /// Somebody wants to hear of changes, in containers that are open and in those that will be.
    static func begin() {
        let containers = wish.withLock { wish -> [ModelContainer] in
            guard !wish.isThere else { return [] }
            wish.isThere = true
            defer { wish.containers = [] }
            return wish.containers.compactMap(\.container)
        }
        for container in containers { container.remoteChanges.listen(for: container) }
    }

    /// Called once for each container, when it is open.
    func join(_ container: ModelContainer) {
        let isWanted = Self.wish.withLock { wish -> Bool in
            if !wish.isThere {
                wish.containers.removeAll { $0.container == nil }
                wish.containers.append(WeakContainer(container: container))
            }
            return wish.isThere
        }
        if isWanted { listen(for: container) }
    }

    private func listen(for container: ModelContainer) {
        let started = container.bindings.stores.map { store in
            store.listen { [weak container, weak store] commit in
                guard commit.isForeign, let container, let store else { return }
                Self.post(store, container)
            }
        }
        listenings.withLock { $0 += started }
    }

    func end() {
        // Let go of outside the lock.
        let ended = listenings.withLock { listenings -> [Listening] in
            defer { listenings = [] }
            return listenings
        }
        withExtendedLifetime(ended) {}
    }

    private static func post(_ store: OpenStore, _ container: ModelContainer) {
        var userInfo: [String: any Sendable] = ["storeIdentifier": store.identifier]
        // A store that cannot be read just now has changed all the same; who hears of it reads it in their own time.
        if let position = try? StoreHistory.read(store, in: container.bindings, { try $0.log.extent()?.upperBound ?? 0 }) {
            userInfo["historyToken"] = DefaultHistoryToken(store: store.identifier, position: position)
        }
        NotificationCenter.default.post(name: name, object: container, userInfo: userInfo)
    }
}
