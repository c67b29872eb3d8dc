public struct PersistentIdentifier: Hashable, Sendable {}
