// Terms as values in a column's form, and as Swift values that a closure computes.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    // MARK: In a column's form

    /// - Parameter type: the static type of the expression, `Optional` included.
    /// - Throws: `SwiftDataError.unsupportedPredicate` for what has no form in a column.
    func value(_ term: SQLTerm, as type: any Any.Type) throws -> ValueTerm {
        switch term {
        case .value(let value): return value
        case .constant(let constant): return try literal(constant, in: try form(of: type))
        case .computed(let computed): return value(computed, in: try form(of: type))
        case .external(let property, _): throw SwiftDataError.liesOutside(property)
        case .condition(let condition): return ValueTerm(condition.value, form: try form(of: Bool.self))
        case .optionalCondition(let presence, let condition):
            return ValueTerm("iif(\(presence.sql), \(condition.value), NULL)", form: try form(of: Bool.self))
        case .row, .rows, .identifier: throw SwiftDataError.untranslatable("a model as a value", "compare one of its properties, or its persistentModelID")
        case .range, .search: throw SwiftDataError.untranslatable("a range as a value", "ask whether it contains something")
        }
    }

    /// What a closure computes, in a form that need not be the type's own.
    func value(_ computed: ComputedTerm, in form: ColumnForm) -> ValueTerm {
        let call = calls.add { arguments in computed.body(arguments).flatMap(form.encode) ?? .null }
        return ValueTerm("\(sql: SQLFunctions.call)(\(([.init("?", [call])] + computed.arguments).joined(by: ", ")))", form: form)
    }

    /// The same in the type's own form: a property that is marked `.codable` lies in another.
    func value(_ term: SQLTerm, as type: any Any.Type, comparedBy comparison: ColumnForm.Comparison) throws -> ValueTerm {
        let found = try value(term, as: type)
        return found.form.comparison == comparison ? found : try value(.computed(computed(term)), as: type)
    }

    /// A constant in the form of the expression that it meets.
    func literal(_ constant: Any, in form: ColumnForm) throws -> ValueTerm {
        guard let value = unwrapped(constant) else { return ValueTerm("NULL", form: form) }
        guard let stored = form.encode(value) else {
            throw SwiftDataError.untranslatable("the value \(value), which has no stored form,", "compare with a value that can be encoded")
        }
        guard form.comparison == .text, let text = stored.text else { return ValueTerm("\(bind: stored)", comparison: "\(bind: stored)", form: form) }
        return ValueTerm("\(bind: stored)", comparison: "\(bind: .text(CanonicalText.nfc(text)))", form: form)
    }

    func form(of type: any Any.Type) throws -> ColumnForm {
        if let form = ColumnForm(of: type) { return form }
        throw SwiftDataError.untranslatable("a value of type \(type), which cannot be stored,", "compare one of its properties that can")
    }

    // MARK: Computed by Swift

    /// - Throws: `SwiftDataError.unsupportedPredicate` for a model, which only a context can make.
    func computed(_ term: SQLTerm) throws -> ComputedTerm {
        switch term {
        case .computed(let computed): return computed
        case .constant(let constant): return ComputedTerm([]) { _ in unwrapped(constant) }
        case .value(let value): return ComputedTerm([value.sql]) { value.form.decode($0[0]) }
        case .external(let property, _): throw SwiftDataError.liesOutside(property)
        case .condition, .optionalCondition: return try computed(.value(value(term, as: Bool.self)))
        case .row, .rows, .identifier: throw SwiftDataError.untranslatable("a model inside a computed value", "use one of its stored properties")
        case .range, .search: throw SwiftDataError.untranslatable("a range inside a computed value", "ask whether it contains something")
        }
    }

    /// What `body` makes of one expression. Where the expression is nil and its type has no nil, the result is nil too.
    func compute<Input, Output>(_ input: SQLTerm, _ body: @escaping (Input) -> Output?) throws -> SQLTerm {
        let input = try computed(input)
        return settled(ComputedTerm(input.arguments) { arguments in
            typed(input.body(arguments), as: Input.self).flatMap(body).flatMap { unwrapped($0) }
        })
    }

    func compute<Left, Right, Output>(_ left: SQLTerm, _ right: SQLTerm, _ body: @escaping (Left, Right) -> Output?) throws -> SQLTerm {
        let (left, right) = (try computed(left), try computed(right))
        let count = left.arguments.count
        return settled(ComputedTerm(left.arguments + right.arguments) { arguments in
            guard let leftValue = typed(left.body(Array(arguments.prefix(count))), as: Left.self),
                let rightValue = typed(right.body(Array(arguments.dropFirst(count))), as: Right.self)
            else { return nil }
            return body(leftValue, rightValue).flatMap { unwrapped($0) }
        })
    }

    /// What depends on no row is computed now.
    private func settled(_ computed: ComputedTerm) -> SQLTerm {
        guard computed.arguments.isEmpty else { return .computed(computed) }
        return .constant(computed.body([]) ?? Never?.noValue)
    }
}

/// The value inside optionals; nil where there is none.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrapped.flatMap { unwrapped($0) }
}

/// A value as its static type has it: nil becomes the type's own nil. nil where the type has none, and for a value of another type.
func typed<Value>(_ value: Any?, as type: Value.Type) -> Value? {
    if let value { return value as? Value }
    return (Value.self as? any OptionalType.Type)?.noValue as? Value
}
