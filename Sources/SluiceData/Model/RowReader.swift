// The direct way from a row into a model's storage: the macro's `_$decode` calls `read` once for each slot, and the overload that the slot's type
// picks is the whole decision. No key path, no existential, no intermediate value.
//
// One reader serves one running statement. Before each row the fetch says which class the row is of; that sets the columns.

public import Foundation
import SluiceSchema
import SluiceSQLite

/// A row on its way into a model.
public final class _RowReader {
    /// For each property of the class at hand, the column of the statement that has it; −1 where the statement has none.
    @usableFromInline var columns: UnsafePointer<Int32>
    /// Whether slots that are loaded already stay as they are.
    @usableFromInline var isRefreshing = false
    private var state: _ModelState
    private var binding: EntityBinding
    private(set) var fill = Fill.fresh
    private let statement: Statement

    enum Fill {
        /// Every slot is empty.
        case fresh
        /// Everything that is not edited follows the row.
        case refresh
        /// Only empty slots are filled.
        case missing
    }

    init(_ statement: Statement, columns: UnsafePointer<Int32>, state: _ModelState, binding: EntityBinding) {
        self.statement = statement
        self.columns = columns
        self.state = state
        self.binding = binding
    }

    /// Points the reader at a model, for the row that the statement stands on.
    func aim(at state: _ModelState, of binding: EntityBinding, columns: UnsafePointer<Int32>, fill: Fill) {
        self.state = state
        self.binding = binding
        self.columns = columns
        self.fill = fill
        isRefreshing = fill != .fresh
    }

    // MARK: Slots

    /// A value that lies in its column as it is.
    @inlinable
    public func read<Value: _StoredValue>(_ slot: inout Value?, at index: Int) {
        let column = isRefreshing ? columnToRefresh(index, isLoaded: slot != nil) : columns[index]
        if column >= 0 { slot = Value._$read(self, column) }
    }

    /// An enum, or anything else that is its raw value. A raw value that no case has (a newer program wrote it) reads as the property's default,
    /// and stays in the row until somebody sets the property.
    public func read<Value: RawRepresentable>(_ slot: inout Value?, at index: Int) where Value.RawValue: _StoredValue {
        let column = columnToRefresh(index, isLoaded: slot != nil)
        guard column >= 0 else { return }
        slot = Value(rawValue: Value.RawValue._$read(self, column)) ?? binding.defaultValue(of: Value.self, at: index)
    }

    public func read<Value: RawRepresentable>(_ slot: inout Value??, at index: Int) where Value.RawValue: _StoredValue {
        let column = columnToRefresh(index, isLoaded: slot != nil)
        guard column >= 0 else { return }
        slot = .some(isNull(column) ? nil : Value(rawValue: Value.RawValue._$read(self, column)))
    }

    /// Any other codable value: canonical JSON. Bytes that do not decode (the value's type has changed) read as the property's default.
    @_disfavoredOverload
    public func read<Value: Codable>(_ slot: inout Value?, at index: Int) { readCodable(&slot, at: index) }

    /// A codable value, whatever else its type is.
    public func readCodable<Value: Codable>(_ slot: inout Value?, at index: Int) {
        readBytes(&slot, at: index) { CodableColumn.value(of: Value.self, in: $0) ?? binding.defaultValue(of: Value.self, at: index) }
    }

    /// A value that a transformer makes of the column's bytes.
    public func readTransformable<Value>(_ slot: inout Value?, at index: Int) {
        readBytes(&slot, at: index) {
            binding.transformation(at: index)?.value(of: Value.self, in: $0) ?? binding.defaultValue(of: Value.self, at: index)
        }
    }

    /// Bytes, in the column or in a file.
    public func read(_ slot: inout Data?, at index: Int) { readBytes(&slot, at: index) { $0 ?? Data() } }
    public func read(_ slot: inout Data??, at index: Int) { readBytes(&slot, at: index) { $0 } }

    /// Bytes may lie in a file. Where that cannot be read the slot stays empty: the property has its default, and is tried again when it is
    /// next asked for. Who asked is told by the next save.
    private func readBytes<Value>(_ slot: inout Value?, at index: Int, _ make: (Data?) -> Value?) {
        let column = columnToRefresh(index, isLoaded: slot != nil)
        guard column >= 0 else { return }
        do throws(ExternalValueFault) { slot = make(try bytes(column)) } catch {
            slot = nil
            // A fetch reads on behalf of somebody who may never look.
            guard fill == .missing else { return }
            let fault = error.of(binding.shape.properties[index].name, in: binding.entity.name, record: nil)
            state.core?.note(.reading(because: fault))
        }
    }

    /// Where a to-one points; the slot stays empty.
    public func read<Value: PersistentModel>(_ slot: inout Value?, at index: Int) { readReference(at: index) }
    public func read<Value: PersistentModel>(_ slot: inout Value??, at index: Int) { readReference(at: index) }

    /// Members of a to-many are loaded when they are asked for.
    public func read<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) { state.forgetMembers(at: index) }
    public func read<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) { state.forgetMembers(at: index) }

    private func readReference(at index: Int) {
        guard let link = binding.linkIndex(at: index) else { return }
        let column = columnToRefresh(index, isLoaded: state.isLoaded(link: link))
        guard column >= 0 else {
            if isRefreshing, fill == .refresh, !state.isChanged(index) { state.unload(link: link) }
            return
        }
        state.setLink(link, to: .one(isNull(column) ? nil : integer(column)))
    }

    @usableFromInline
    func columnToRefresh(_ index: Int, isLoaded: Bool) -> Int32 {
        switch fill {
        case .fresh: columns[index]
        case .refresh: isLoaded && state.isChanged(index) ? -1 : columns[index]
        case .missing: isLoaded ? -1 : columns[index]
        }
    }

    // MARK: Columns

    func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
    func integer(_ column: Int32) -> Int64 { statement.integer(column) }
    func text(_ column: Int32) -> String { statement.text(column) }
    func data(_ column: Int32) -> Data {
        do throws(ExternalValueFault) { return try bytes(column) ?? Data() } catch {
            state.core?.note(.reading(because: error))
            return Data()
        }
    }
    func stored(_ column: Int32) -> SQLiteValue { statement.value(column) }
    /// nil for NULL.
    func bytes(_ column: Int32) throws(ExternalValueFault) -> Data? {
        if isNull(column) { return nil }
        guard statement.isText(column), let reference = ExternalReference(statement.text(column)) else { return statement.data(column) }
        guard let external = binding.store.externalValues else { throw ExternalValueFault(path: reference.text, reason: .noFolder) }
        return try external.read(reference)
    }
    func uuid(_ column: Int32) -> UUID { statement.uuid(column) ?? UUID(uuidString: statement.text(column)) ?? UUID._$zero }
    func double(_ column: Int32) -> Double { statement.storedDouble(column) }
}
