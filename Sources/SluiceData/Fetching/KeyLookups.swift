// A fetch by the value of one attribute is what programs do in a loop, once for each row of something else. Translating its predicate takes
// longer than the row. So a context keeps what one such predicate became, and the next puts its own value in.

import Foundation
import SluiceSchema
import SluiceSQLite

/// A predicate, or a part of one, that may be the comparison of an attribute with a constant.
private protocol AttributeComparison {
    var comparison: (keyPath: AnyKeyPath, constant: Any)? { get }
}

private protocol MemberOfVariable {
    /// The key path, where it begins at the variable itself.
    var member: AnyKeyPath? { get }
}

private protocol Constant {
    var constant: Any { get }
}

extension PredicateExpressions.Equal: AttributeComparison {
    fileprivate var comparison: (keyPath: AnyKeyPath, constant: Any)? {
        guard let keyPath = (lhs as? any MemberOfVariable)?.member, let constant = (rhs as? any Constant)?.constant else { return nil }
        return (keyPath, constant)
    }
}

extension PredicateExpressions.KeyPath: MemberOfVariable {
    fileprivate var member: AnyKeyPath? { root is PredicateExpressions.Variable<Root.Output> ? keyPath : nil }
}

extension PredicateExpressions.Value: Constant {
    fileprivate var constant: Any { value }
}

/// Statements that differ in one value.
struct KeyLookups {
    private struct Key: Hashable {
        let keyPath: AnyKeyPath
        let binding: ObjectIdentifier
    }

    private var statements: [Key: FetchStatement] = [:]

    /// The statement of a fetch by one attribute without an order; nil for any other fetch.
    mutating func statement<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, of binding: EntityBinding, in schema: ContainerSchema
    ) throws -> FetchStatement? {
        guard descriptor.sortBy.isEmpty, let predicate = descriptor.predicate,
            let (keyPath, constant) = (predicate.expression as? any AttributeComparison)?.comparison, let value = Self.plain(constant)
        else { return nil }
        let key = Key(keyPath: keyPath, binding: ObjectIdentifier(binding))
        if let known = statements[key] { return known.comparing(with: value) }
        let statement = try FetchStatement(descriptor, of: binding, in: schema)
        if statement.isComparison(with: value) { statements[key] = statement }
        return statement
    }

    /// The stored form of a constant whose kind alone decides how it is compared: text outside ASCII may have several.
    private static func plain(_ constant: Any) -> SQLiteValue? {
        switch constant {
        case let identifier as UUID: identifier.stored
        case let number as Int: number.stored
        case let text as String where text.utf8.allSatisfy { $0 < 0x80 }: text.stored
        default: nil
        }
    }
}
