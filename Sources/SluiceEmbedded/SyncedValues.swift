internal import SluiceCoordinator
internal import SluiceGroup
public import SluiceReader

/// Small values by key that all devices of the account share: the job of `NSUbiquitousKeyValueStore`, for programs that embed a coordinator.
///
///     try await coordinator.syncedValues.set(.string("dark"), forKey: "theme")
///     for await change in try await coordinator.syncedValues.changes() { reload(change.keys) }
///
/// The latest edit of a key wins on every device, removals included. What `set` returned from is on disk. At most 1,024 keys and 1 MiB in
/// all, keys of 64 bytes of UTF-8, values of 720,000 bytes. May be used from any thread.
public struct SyncedValues: Sendable {
    let runtime: AccountRuntime

    /// Values that came from elsewhere. A program's own edits are no news to it.
    public struct Change: Hashable, Sendable {
        public enum Reason: String, Hashable, Sendable {
            /// Another device set or removed values.
            case server
            /// The first download on this device.
            case initialSync
            /// Merged edits came to more than may be kept: nothing is lost, and nothing more is taken until some is removed.
            case quotaViolation
        }

        public let reason: Reason
        public let keys: [String]
    }

    /// - Throws: where the account file does not say `keyValues: true`, or the account is stopping.
    public func all() async throws -> [String: SharedValue] { try await runtime.syncedValues() }

    /// nil where there is none.
    public func value(forKey key: String) async throws -> SharedValue? { try await all()[key] }

    /// - Throws: where it is more than may be kept, or the key is none; nothing is then changed.
    public func set(_ value: SharedValue, forKey key: String) async throws { try await runtime.setSyncedValue(value, for: key) }

    public func removeValue(forKey key: String) async throws { try await runtime.setSyncedValue(nil, for: key) }

    /// What comes from other devices from now on. It ends when the account stops.
    public func changes() async throws -> AsyncStream<Change> {
        let inner = try await runtime.syncedValueChanges()
        return AsyncStream { continuation in
            let task = Task {
                for await change in inner {
                    guard let reason = Change.Reason(rawValue: change.reason.rawValue) else { continue }
                    continuation.yield(Change(reason: reason, keys: change.keys))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Small values that helpers and shells read in `defaults.json` of the account's group containers.
public struct HelperDefaults: Sendable {
    let runtime: AccountRuntime
    /// nil means all of the account's group containers.
    let group: String?

    /// - Throws: where a value is more than may be kept, or the key is none; nothing is then changed.
    public func set(_ value: SharedValue, forKey key: String) async throws {
        try await runtime.setSharedDefault(value, for: key, group: group)
    }

    public func removeValue(forKey key: String) async throws { try await runtime.setSharedDefault(nil, for: key, group: group) }
}

extension EmbeddedCoordinator {
    /// Values that all devices of the account share.
    public var syncedValues: SyncedValues { SyncedValues(runtime: runtime) }

    /// Values for helpers.
    /// - Parameter group: one of the account's group containers; nil means all of them.
    public func helperDefaults(group: String? = nil) -> HelperDefaults { HelperDefaults(runtime: runtime, group: group) }
}
