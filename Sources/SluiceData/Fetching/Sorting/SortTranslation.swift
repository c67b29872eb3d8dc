// Sort descriptors as ORDER BY: the order of the values in Swift, nil first in forward order (as NULL is in SQL), the row's key last, so
// that the order is total and two fetches of one page never differ.

import Foundation
import SluiceSchema
import SluiceSQLite

/// What rows are sorted by, from one sort descriptor.
struct SortTerm {
    let expressions: [SQLFragment]
    let isDescending: Bool

    static func joined(_ terms: [SortTerm]) -> SQLFragment {
        guard let last = terms.last else { return "" }
        let key = SortTerm(expressions: ["t._pk"], isDescending: last.isDescending)
        return (terms + [key]).flatMap { term in term.expressions.map { term.isDescending ? "\($0) DESC" : $0 } }.joined(by: ", ")
    }
}

extension PredicateTranslator {
    /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for what is not stored, or compared in a way that the store does not know.
    func orderTerm<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>, of binding: EntityBinding) throws -> SortTerm {
        guard let keyPath = descriptor.keyPath else {
            throw SwiftDataError.unsupportedSortDescriptor.because("the descriptor has no key path: make it with one, as in SortDescriptor(\\.name)")
        }
        if let comparator = descriptor.stringComparator, comparator != .lexical {
            throw SwiftDataError.unsupportedSortDescriptor.because(
                "\(keyPath) is compared in a way that the store does not know: use .localizedStandard, .localized or .lexical")
        }
        let value = try sortedValue(keyPath, of: binding)
        return SortTerm(expressions: value, isDescending: descriptor.order == .reverse)
    }

    private func sortedValue(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> [SQLFragment] {
        let steps = KeyPathStep.steps(of: keyPath) ?? []
        if let order = TextOrder(atEndOf: steps), let (properties, rest) = binding.shape.properties(along: steps.dropLast()), rest.isEmpty,
            case .value(let text)? = try value(along: properties, of: binding)
        {
            let text = try value(.value(text), as: String.self, comparedBy: .text)
            return ["\(sql: SQLFunctions.order)(\(sql: "\(order.rawValue)"), \(text.comparison))"]
        }
        guard let path = binding.shape.path(for: keyPath), let term = try value(along: path.properties, of: binding) else {
            throw SwiftDataError.notSorted(by: keyPath, of: binding, "it is computed, or leads over a relationship to many")
        }
        if !path.members.isEmpty {
            guard let member = try member(of: term, at: keyPath, steps: steps) else {
                throw SwiftDataError.notSorted(by: keyPath, of: binding, "it goes into an optional inside a codable value")
            }
            return try expressions(for: member, keyPath, of: binding)
        }
        if case .external = term { throw SwiftDataError.notSorted(by: keyPath, of: binding, "its large values lie outside the store") }
        guard case .value(let value) = term else { throw SwiftDataError.notSorted(by: keyPath, of: binding, "a model has no order: name one of its properties") }
        return try expressions(for: value, keyPath, of: binding)
    }

    /// nil where the properties lead to many models.
    func value(along properties: [ModelProperty], of binding: EntityBinding) throws -> SQLTerm? {
        var term = SQLTerm.row(RowTerm(.alias("t"), binding))
        for property in properties {
            guard case .row(let row) = term else { return nil }
            term = try self.property(property, of: row)
        }
        return term
    }

    // MARK: Forms

    func expressions(for value: ValueTerm, _ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> [SQLFragment] {
        if !value.form.isOrdered, let ranks = CaseRanks(of: value.form) { return [ranks.rank(of: value.sql)] }
        switch value.form.comparison {
        case .text, .address: return [value.comparison]
        case .boolean, .integer, .bytes, .real: return [value.sql]
        case .unsigned: return ["\(value.sql) < 0", value.sql]
        case .decimal: return ["\(sql: SQLFunctions.decimal)(\(value.sql))"]
        case .opaque:
            throw SwiftDataError.notSorted(
                by: keyPath, of: binding, "the order of \(value.form.type) is known to Swift alone: make it CaseIterable, or give it a raw value")
        }
    }

    /// A stored member of a codable value, which Swift reads out of the decoded value; nil where the steps do not say where it lies.
    func member(of term: SQLTerm, at keyPath: AnyKeyPath, steps: [KeyPathStep]) throws -> ValueTerm? {
        let fields = steps.drop { if case .field = $0 { false } else { true } }
        var offset = 0
        for step in fields {
            switch step {
            case .field(let distance): offset += distance
            case .wrap where step == fields.last: continue
            default: return nil
            }
        }
        let type = Swift.type(of: keyPath).valueType
        let isWrapped = fields.last == .wrap
        let memberType = isWrapped ? (type as? any OptionalType.Type)?.wrappedType ?? type : type
        let computed = try computed(term)
        let read = MemberReader(type: memberType, offset: offset)
        return try value(.computed(ComputedTerm(computed.arguments) { computed.body($0).flatMap(read.member).flatMap { unwrapped($0) } }), as: type)
    }
}

/// Reads a member at its offset in a value.
private struct MemberReader {
    let type: any Any.Type
    let offset: Int

    func member(of value: Any) -> Any? {
        func apply<Value, Member>(_ value: Value, _ type: Member.Type) -> Any? {
            // The key path says where the member lies in this very type.
            guard offset + MemoryLayout<Member>.size <= MemoryLayout<Value>.size else { return nil }
            return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(fromByteOffset: offset, as: Member.self) }
        }
        func openMember<Member>(_ type: Member.Type) -> Any? {
            func openValue<Value>(_ value: Value) -> Any? { apply(value, type) }
            return _openExistential(value, do: openValue)
        }
        return _openExistential(type, do: openMember)
    }
}

extension SwiftDataError {
    fileprivate static func notSorted(by keyPath: AnyKeyPath, of binding: EntityBinding, _ reason: String) -> SwiftDataError {
        unsupportedSortDescriptor.because("\(keyPath) of \(binding.entity.name) cannot be sorted by: \(reason)")
    }
}
