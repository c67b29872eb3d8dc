internal import SwiftSyntax

/// Who may use a declaration, as its modifiers say it.
enum AccessLevel {
    case `private`, `fileprivate`, `internal`, `package`, `public`, open

    /// The getter's level: `private(set)` says nothing about it.
    init(_ modifiers: DeclModifierListSyntax) {
        let words = modifiers.filter { $0.detail == nil }.map(\.name.tokenKind)
        switch words {
        case _ where words.contains(.keyword(.open)): self = .open
        case _ where words.contains(.keyword(.public)): self = .public
        case _ where words.contains(.keyword(.package)): self = .package
        case _ where words.contains(.keyword(.fileprivate)): self = .fileprivate
        case _ where words.contains(.keyword(.private)): self = .private
        default: self = .internal
        }
    }

    /// The modifier of a generated member, with a space behind it. In an internal or narrower class it needs none: the class bounds it.
    var modifier: String {
        switch self {
        case .open, .public: "public "
        case .package: "package "
        case .internal, .fileprivate, .private: ""
        }
    }

    /// The modifier of a generated member that subclasses override; those of an open class may be in another module.
    var overridableModifier: String { self == .open ? "open " : modifier }
}
