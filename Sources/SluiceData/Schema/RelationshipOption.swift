package import SluiceSchema

extension Schema.Relationship {
    /// What is true of a relationship beyond its type.
    public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// No two models relate to the same one. Only for a relationship to one model.
        public static var unique: Option { Option("unique") }
        /// The to-many keeps the order of its members. Ours; SwiftData's have none.
        public static var ordered: Option { Option("ordered") }

        public var debugDescription: String { name }
    }

    /// What happens to the other end when a model is deleted.
    public enum DeleteRule: String, Codable, Hashable, Sendable, CaseIterable {
        /// The other end is left alone. A reference to a model that is gone reads as nil.
        case noAction
        /// The other end's reference becomes nil.
        case nullify
        /// The other end is deleted too.
        case cascade
        /// The deletion is refused while the other end exists.
        case deny
    }
}

extension Schema.Relationship.DeleteRule {
    package var stored: SluiceSchema.DeleteRule {
        switch self {
        case .noAction: .noAction
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }
}
