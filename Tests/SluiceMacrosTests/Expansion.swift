import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import SluiceMacros

/// Source text with every macro of ours expanded, as the compiler would do it, and what the macros said about it.
struct Expansion {
    /// What the macros said about one place.
    struct Finding {
        let message: String
        let severity: DiagnosticSeverity
        /// The source text from the place on, to the end of its line.
        let place: String
        /// The whole source after each fix-it, by the fix-it's title.
        let fixed: [String: String]
    }

    let text: String
    let parses: Bool
    let findings: [Finding]

    /// - Parameters:
    ///   - conformances: What the compiler says is to be conformed to; nothing for a subclass of a model.
    ///   - knowsConditions: Whether the plug-in can tell which `#if` is active. The compiler tells it.
    init(of source: String, conformances: [String] = ["PersistentModel", "Sendable"], language: Int = 6, knowsConditions: Bool = true) {
        let file = Parser.parse(source: source)
        let configuration = StaticBuildConfiguration(
            customConditions: ["DEBUG"], targetOSs: ["Linux"], languageVersion: VersionTuple(language),
            compilerVersion: VersionTuple(6, 3))
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")],
            buildConfiguration: knowsConditions ? configuration : nil)
        let expanded = file.expand(macroSpecs: Self.specs(conformances), contextGenerator: { syntax in
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.enclosingContexts)
        }, indentationWidth: .spaces(4))
        text = expanded.description
        parses = !Parser.parse(source: expanded.description).hasError
        findings = context.diagnostics.map { Self.finding($0, context, source) }
    }

    /// The compiler finds the implementations by the declarations in SluiceData, and this does the same.
    private static func specs(_ conformances: [String]) -> [String: MacroSpec] {
        let types = conformances.map { TypeSyntax(stringLiteral: $0) }
        return [
            "Model": MacroSpec(type: PersistentModelMacro.self, conformances: types),
            "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
            "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
            "Attribute": MacroSpec(type: AttributePropertyMacro.self),
            "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
            "Transient": MacroSpec(type: TransientPropertyMacro.self),
            "Unique": MacroSpec(type: UniqueMacro.self),
            "Index": MacroSpec(type: IndexMacro.self),
            "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["ModelActor"]),
        ]
    }

    private static func finding(_ diagnostic: Diagnostic, _ context: BasicMacroExpansionContext, _ source: String) -> Finding {
        func offset(_ position: AbsolutePosition, _ node: Syntax) -> Int {
            context.location(for: position, anchoredAt: node, fileName: "Tests.swift").offset
        }
        let bytes = Array(source.utf8)
        let rest = bytes[offset(diagnostic.position, diagnostic.node)...].prefix { $0 != UInt8(ascii: "\n") }
        var fixed: [String: String] = [:]
        for fixIt in diagnostic.fixIts {
            var edits: [(start: Int, end: Int, text: String)] = []
            for change in fixIt.changes {
                switch change {
                case .replace(let old, let new):
                    // The compiler replaces the text between the outer whitespace of the two nodes.
                    let (start, end) = (old.positionAfterSkippingLeadingTrivia, old.endPositionBeforeTrailingTrivia)
                    edits.append((offset(start, old), offset(end, old), new.trimmedDescription))
                case .replaceTrailingTrivia(let token, let trivia):
                    let (start, end) = (token.endPositionBeforeTrailingTrivia, token.endPosition)
                    edits.append((offset(start, Syntax(token)), offset(end, Syntax(token)), trivia.description))
                default:
                    Issue.record("no macro of ours makes a change of this kind: \(change)")
                }
            }
            var result = bytes
            for edit in edits.sorted(by: { $0.start > $1.start }) { result.replaceSubrange(edit.start..<edit.end, with: edit.text.utf8) }
            fixed[fixIt.message.message] = String(decoding: result, as: UTF8.self)
        }
        let place = String(decoding: rest, as: UTF8.self)
        return Finding(message: diagnostic.message, severity: diagnostic.diagMessage.severity, place: place, fixed: fixed)
    }
}

extension Syntax {
    /// The declarations around a node, innermost first, as the compiler hands them to a macro.
    fileprivate var enclosingContexts: [Syntax] { allMacroLexicalContexts() }
}

/// Text that is compared without regard to indentation and blank lines: both are the formatter's.
func unindented(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
        String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }.filter { !$0.isEmpty }
}
