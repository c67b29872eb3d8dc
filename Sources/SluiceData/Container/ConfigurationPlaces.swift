extension ModelConfiguration {
    /// The group container that holds the store.
    public struct GroupContainer: Hashable, Sendable {
        private enum Choice: Hashable { case automatic, none, identifier(String) }

        private let choice: Choice

        /// The application's first group. A process on this platform has none by itself, so this is the same as `none`.
        public static var automatic: GroupContainer { GroupContainer(choice: .automatic) }
        /// The application's own directory.
        public static var none: GroupContainer { GroupContainer(choice: .none) }
        /// The container of that group: `$XDG_DATA_HOME/sluice/groups/<group>`, or the system's.
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(choice: .identifier(groupName)) }

        package var identifier: String? { if case .identifier(let name) = choice { name } else { nil } }
    }

    /// The record service's container that the store syncs with.
    public struct CloudKitDatabase: Hashable, Sendable {
        private enum Choice: Hashable { case automatic, none, `private`(String) }

        private let choice: Choice

        /// The container that the process is entitled to. A process on this platform is entitled to none by itself.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(choice: .automatic) }
        /// The store does not sync.
        public static var none: CloudKitDatabase { CloudKitDatabase(choice: .none) }
        /// The synced store of the account whose container is of that name. It opens in the process that holds the account's coordinator
        /// lock.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(choice: .private(privateDBName)) }

        package var identifier: String? { if case .private(let name) = choice { name } else { nil } }
    }
}
