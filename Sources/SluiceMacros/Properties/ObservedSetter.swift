internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The setter of a property with `willSet` or `didSet`.
///
/// A property with accessors has no observers any more: the compiler drops them, and the setter runs their bodies. Each body becomes a
/// closure that is called at once, so that a `return` in it ends the observer only, and members need no `self.`. Where an observer sets its
/// own property, Swift does not call it again; a flag in the storage does the same here.
///
/// Nor does Swift call observers while an initialiser gives the property its first value. In a root class that assignment comes to the
/// setter too, the peers having values from the start; a second flag recognises it.
struct ObservedSetter {
    let name: TokenSyntax
    let assignment: String
    /// Reads the value without telling observation.
    let oldValue: String
    let flags: ObserverFlags
    let willSet: AccessorDeclSyntax?
    let didSet: AccessorDeclSyntax?

    var declaration: AccessorDeclSyntax {
        let (isRunning, wasSet) = ("_$backingData.\(flags.isRunning)", "_$backingData.\(flags.wasSet)")
        var lines = ["if \(isRunning) || !\(wasSet) {"]
        lines += ["\(wasSet) = true", assignment, "return", "}", "\(isRunning) = true", "defer {", "\(isRunning) = false", "}"]
        let needsOldValue = didSet.map(usesOldValue) ?? false
        if needsOldValue { lines.append("let _$oldValue = \(oldValue)") }
        if let willSet {
            let name = parameter(willSet) ?? "newValue"
            lines.append(call(willSet, name == "newValue" ? nil : "let \(name) = newValue"))
        }
        lines.append(assignment)
        if let didSet { lines.append(call(didSet, needsOldValue ? "let \(parameter(didSet) ?? "oldValue") = _$oldValue" : nil)) }
        return "set {\n\(raw: lines.joined(separator: "\n"))\n}"
    }

    private func parameter(_ observer: AccessorDeclSyntax) -> String? { observer.parameters?.name.trimmed.text }

    private func usesOldValue(_ observer: AccessorDeclSyntax) -> Bool {
        let name = parameter(observer) ?? "oldValue"
        return observer.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == name } ?? false
    }

    private func call(_ observer: AccessorDeclSyntax, _ binding: String?) -> String {
        let statements = observer.body.map { SelfQualification.of(name, in: $0.statements).description } ?? ""
        return "({ () -> Void in\n\(binding.map { $0 + "\n" } ?? "")\(statements)\n})()"
    }
}
