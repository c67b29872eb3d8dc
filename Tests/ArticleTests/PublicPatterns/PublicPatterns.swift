// What public model files do that no article prints. The files were tried where they are (Docs/Compatibility.md); these
// are the patterns, in words of our own.

import SwiftData

/// A class that says it is the main actor's, although contexts of other actors read its rows.
@MainActor
@Model
final class Dashboard {
    @Attribute(.unique) var name: String
    var kind: Kind = Kind.wide
    @Relationship(deleteRule: .cascade, inverse: \Tile.dashboard) var tiles: [Tile] = []
    @Transient var isOpen = false

    init(name: String) { self.name = name }

    enum Kind: String, Codable { case wide, narrow }
}

@Model
@MainActor
final class Tile {
    var title: String
    var dashboard: Dashboard?

    init(title: String) { self.title = title }
}

/// A stored property behind a computed one, and an attribute that strayed to an initialiser.
@Model
final class Pulse: Identifiable {
    var id = UUID()
    private var _kind: String
    var kind: Kind {
        get { Kind(rawValue: _kind) ?? .resting }
        set { _kind = newValue.rawValue }
    }

    @Relationship
    init(kind: Kind) { _kind = kind.rawValue }

    enum Kind: String { case resting, running }
}

/// Equality of the class's own, and a promise to the compiler that nobody keeps.
extension Pulse: Equatable, Hashable {
    static func == (left: Pulse, right: Pulse) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Pulse: @unchecked Sendable {}
