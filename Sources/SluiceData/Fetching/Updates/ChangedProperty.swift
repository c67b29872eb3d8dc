import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// A property that an update changes, and how its values lie in the row.
struct ChangedProperty {
    let property: ModelProperty
    let binding: EntityBinding
    let row: RowTerm
    /// The number of its column in the table.
    let place: Int
    private let column: TableLayout.Column
    private let form: ColumnForm?
    private let link: LinkBinding?

    var isOptional: Bool { property.isOptional }

    /// - Throws: `SwiftDataError.unsupportedKeyPath` for what is not stored in the row itself, or must not change.
    init(_ keyPath: AnyKeyPath, of binding: EntityBinding) throws {
        guard let property = binding.shape.property(for: keyPath), let place = binding.columns[property.index] else {
            throw SwiftDataError.unchangeable(keyPath, of: binding, "it is not stored in the rows of that class")
        }
        let link = binding.linkIndex(at: property.index).map { binding.links[$0] }
        if binding.entity.identity.contains(place) { throw SwiftDataError.unchangeable(keyPath, of: binding, "it is the record's identity") }
        if let link, link.inverse != nil, !link.inverseIsToMany {
            throw SwiftDataError.unchangeable(keyPath, of: binding, "its inverse is to one model, which has one partner only: set it on models")
        }
        if let link, Self.isOrdered(link, in: binding) {
            throw SwiftDataError.unchangeable(keyPath, of: binding, "its inverse keeps an order: set it on models")
        }
        self.property = property
        self.binding = binding
        self.link = link
        self.place = place
        row = RowTerm(.alias("t"), binding)
        column = binding.store.layout.table(of: binding.entity).columns[place]
        form = link == nil ? ColumnForm(property, of: binding) : nil
    }

    /// Whether the other end of a relationship keeps its members' places beside the reference.
    private static func isOrdered(_ link: LinkBinding, in binding: EntityBinding) -> Bool {
        let schema = binding.store.layout.schema
        return schema.inverse(of: link.link.relationship)?.isOrdered ?? false
    }

    /// The property's value before the update.
    func term(_ translator: PredicateTranslator) throws -> SQLTerm { try translator.property(property, of: row) }

    // MARK: New values

    func literal(_ value: Any) throws -> SQLFragment {
        guard let value = unwrapped(value) else { return "NULL" }
        if link != nil { return "\(bind: try key(of: value))" }
        guard let stored = form?.encode(value) else {
            throw SwiftDataError.modelValidationFailure.because("\(binding.entity.name).\(property.name) cannot hold a value that has no stored form")
        }
        return "\(bind: try placed(stored))"
    }

    /// A large value of external storage goes into its file before the transaction; a file that nothing refers to in the end is garbage like any.
    private func placed(_ stored: SQLiteValue) throws -> SQLiteValue {
        guard column.isExternal, case .blob(let bytes) = stored, bytes.count > ExternalReference.inlineByteCountMax else { return stored }
        return try binding.store.write { store in try store.externalWriter.map { .text(try $0.write(bytes).text) } ?? stored }
    }

    private func key(of value: Any) throws -> SQLiteValue {
        guard let model = value as? any PersistentModel, let link, model._$state.key > 0, let target = model._$state.binding,
            target.store === binding.store, target.tableID == link.table
        else {
            throw SwiftDataError.modelValidationFailure.because(
                "\(binding.entity.name).\(property.name) was to point at a model that is not saved in the same store: save it first")
        }
        return .integer(model._$state.key)
    }

    /// An expression's value in the column's form.
    func expression(_ term: SQLTerm, as type: any Any.Type, _ translator: PredicateTranslator) throws -> SQLFragment {
        if let link {
            guard case .row(let row) = term, row.binding.tableID == link.table else { return try constant(term) }
            return row.key
        }
        if case .constant(let constant) = term { return try literal(constant) }
        guard let form else { throw SwiftDataError.unknownProperty(property.keyPath, of: binding.type) }
        let value: ValueTerm
        if case .value(let found) = term, found.form.type == form.type, found.form.comparison == form.comparison {
            value = found
        } else {
            value = translator.value(try translator.computed(term), in: form)
        }
        // Swift has a value here, so that a NULL is one that it could not work out.
        return isOptional ? value.sql : "\(sql: SQLFunctions.required)(\(value.sql))"
    }

    private func constant(_ term: SQLTerm) throws -> SQLFragment {
        guard case .constant(let constant) = term else {
            throw SwiftDataError.unchangeable(property.keyPath, of: binding, "the expression leads to no model of its class")
        }
        return try literal(constant)
    }

    /// What stands between `SET` and `WHERE`. Text has its NFC form beside it where that differs.
    func assignment(_ value: SQLFragment) -> SQLFragment {
        let own: SQLFragment = "\(sql: column.sql) = \(value)"
        guard let shadow = column.shadowName else { return own }
        return "\(own), \(sql: SQLText.name(shadow)) = nullif(\(sql: SQLFunctions.normal)(\(value)), \(value))"
    }
}

extension SwiftDataError {
    fileprivate static func unchangeable(_ keyPath: AnyKeyPath, of binding: EntityBinding, _ reason: String) -> SwiftDataError {
        unsupportedKeyPath.because("\(keyPath) of \(binding.entity.name) cannot be changed by an update: \(reason)")
    }
}
