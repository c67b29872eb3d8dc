// What key paths of aggregates lead to.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    /// The attribute at the end of a key path, of the class itself or of a partner.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` for what is not stored, and for models.
    func attribute(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> ValueTerm {
        let term = try stored(keyPath, of: binding)
        if case .external(let property, _) = term { throw SwiftDataError.notFigured(property) }
        guard case .value(let value) = term else {
            throw SwiftDataError.unsupportedKeyPath.because("\(keyPath) of \(binding.entity.name) leads to a model: name one of its attributes")
        }
        return value
    }

    /// An expression that is NULL where the property is nil.
    func counted(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> SQLFragment {
        switch try stored(keyPath, of: binding) {
        case .row(let row): row.key
        case .value(let value), .external(_, let value): value.sql
        default: throw SwiftDataError.unknownProperty(keyPath, of: binding.type)
        }
    }

    /// An expression that is the same for equal values.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` also for values whose equality is known to Swift alone.
    func grouped(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> SQLFragment {
        switch try stored(keyPath, of: binding) {
        case .row(let row): return row.key
        case .value(let value) where value.form.comparison != .opaque: return value.comparison
        case .external(let property, _): throw SwiftDataError.notFigured(property)
        default:
            throw SwiftDataError.unsupportedKeyPath.because(
                "\(keyPath) of \(binding.entity.name) has values whose equality is known to Swift alone: use distinct(_:), or an attribute of another type")
        }
    }

    func stored(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> SQLTerm {
        guard let path = binding.shape.path(for: keyPath), let term = try value(along: path.properties, of: binding) else {
            throw SwiftDataError.unknownProperty(keyPath, of: binding.type)
        }
        guard !path.members.isEmpty else { return term }
        guard let member = try member(of: term, at: keyPath, steps: KeyPathStep.steps(of: keyPath) ?? []) else {
            throw SwiftDataError.unknownProperty(keyPath, of: binding.type)
        }
        return .value(member)
    }
}

extension SwiftDataError {
    static func notFigured(_ property: String) -> SwiftDataError {
        unsupportedKeyPath.because(
            "\(property) is of external storage: its large values lie in files, and can be counted, but neither compared nor grouped by")
    }

    static func overflow(of keyPath: AnyKeyPath, _ binding: EntityBinding) -> SwiftDataError {
        arithmeticOverflow.because("the sum of \(keyPath) of \(binding.entity.name) does not fit 64 bits: add up parts of it, or store decimals")
    }
}
