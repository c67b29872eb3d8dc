internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// What the macros tell people about their declarations, in SwiftData's words where SwiftData has words for it.
enum MacroDiagnostic: DiagnosticMessage {
    case wrongDeclaration(macro: String, kind: String, name: String)
    case genericModel(String)
    case needsInitializer(String)
    case transientNeedsDefault(String)
    case attributeAndRelationship(String)
    case noEffect(macro: String, kind: String, name: String)
    case notAProperty(macro: String)
    case severalOnOneLine
    case pattern
    case constant(String)
    case conditional

    var message: String {
        switch self {
        case .wrongDeclaration(let macro, let kind, let name): "'@\(macro)' cannot be applied to \(kind) type '\(name)'"
        case .genericModel(let name): "'@Model' cannot be applied to generic class '\(name)'; one entity has one set of property types"
        case .needsInitializer(let name): "@Model requires an initializer be provided for '\(name)'"
        case .transientNeedsDefault(let name): "@Transient requires non-optional property '\(name)' to have a default value"
        case .attributeAndRelationship(let name): "'@Attribute' and '@Relationship' cannot both be applied to property '\(name)'"
        case .noEffect(let macro, let kind, let name): "'@\(macro)' has no effect on \(kind) property '\(name)', which is not stored"
        case .notAProperty(let macro): "'@\(macro)' has no effect here; it says something about a stored property"
        case .severalOnOneLine: "@Model requires each persisted property to have a declaration of its own"
        case .pattern: "@Model cannot persist properties that are declared by a pattern"
        case .constant(let name): "@Model cannot persist constant '\(name)': Swift 6 allows no accessors on a 'let'"
        case .conditional: "@Model cannot see whether this '#if' is active, so it may not enclose stored properties, '#Index' or '#Unique'"
        }
    }

    var severity: DiagnosticSeverity {
        // SwiftData takes what says nothing, and public code has it.
        switch self {
        case .noEffect, .notAProperty: return .warning
        default: return .error
        }
    }

    var diagnosticID: MessageID { MessageID(domain: "SluiceMacros", id: name) }

    private var name: String {
        switch self {
        case .wrongDeclaration: "wrongDeclaration"
        case .genericModel: "genericModel"
        case .needsInitializer: "needsInitializer"
        case .transientNeedsDefault: "transientNeedsDefault"
        case .attributeAndRelationship: "attributeAndRelationship"
        case .noEffect: "noEffect"
        case .notAProperty: "notAProperty"
        case .severalOnOneLine: "severalOnOneLine"
        case .pattern: "pattern"
        case .constant: "constant"
        case .conditional: "conditional"
        }
    }
}

/// An edit that an editor offers beside a diagnostic.
struct MacroFixIt: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ message: String, id: String) {
        self.message = message
        fixItID = MessageID(domain: "SluiceMacros", id: id)
    }
}

extension FixIt {
    /// Puts one node in another's place, whitespace around it kept.
    static func replacing(_ message: String, id: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(message: MacroFixIt(message, id: id), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

extension MacroExpansionContext {
    func report(_ message: MacroDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
    }
}
