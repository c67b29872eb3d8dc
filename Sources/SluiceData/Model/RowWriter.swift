// The way back: the macro's `_$encode` calls `write` for each slot, and what a statement has a place for is bound.

public import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// A row that is being written from a model.
public final class _RowWriter {
    private let statement: Statement
    /// For each property: the placeholder of its column, and of the column with its NFC form; 0 where the statement has none.
    @usableFromInline let positions: [Int32]
    @usableFromInline let shadows: [Int32]
    @usableFromInline var shadow: Int32 = 0
    /// The model whose values are being written.
    private var state: _ModelState
    private let binding: EntityBinding
    /// The row that a key stands for: those of rows inserted in this save are given out before anything is written.
    private let keys: RowKeys
    /// Where large values of `.externalStorage` go; nil for a store in memory.
    private let external: ExternalValueWriter?
    /// The first value that could not be bound.
    private var failure: (any Error)?

    init(
        _ statement: Statement, positions: [Int32], shadows: [Int32], state: _ModelState, binding: EntityBinding, keys: RowKeys,
        external: ExternalValueWriter?
    ) {
        self.statement = statement
        self.positions = positions
        self.shadows = shadows
        self.state = state
        self.binding = binding
        self.keys = keys
        self.external = external
    }

    /// Points the writer at the next model of the same class.
    func aim(at state: _ModelState) { self.state = state }

    /// - Throws: the first error since the last call.
    func check() throws {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    // MARK: Slots

    /// A value that lies in its column as it is.
    @inlinable
    public func write<Value: _StoredValue>(_ slot: Value?, at index: Int) {
        guard let slot, let position = place(index) else { return }
        slot._$write(self, position)
    }

    /// An enum, or anything else that is its raw value.
    public func write<Value: RawRepresentable>(_ slot: Value?, at index: Int) where Value.RawValue: _StoredValue {
        guard let slot, let position = place(index) else { return }
        slot.rawValue._$write(self, position)
    }

    public func write<Value: RawRepresentable>(_ slot: Value??, at index: Int) where Value.RawValue: _StoredValue {
        guard let slot, let position = place(index) else { return }
        if let value = slot { value.rawValue._$write(self, position) } else { bindNull(position) }
    }

    /// Any other codable value: canonical JSON.
    @_disfavoredOverload
    public func write<Value: Codable>(_ slot: Value?, at index: Int) { writeCodable(slot, at: index) }

    /// A codable value, whatever else its type is.
    public func writeCodable<Value: Codable>(_ slot: Value?, at index: Int) {
        guard let slot, let position = place(index) else { return }
        attempt {
            guard let bytes = try CodableColumn.bytes(of: slot) else { return try statement.bindNull(at: position) }
            try bind(bytes, position)
        }
    }

    /// A value of which a transformer makes bytes.
    public func writeTransformable<Value>(_ slot: Value?, at index: Int) {
        guard let slot, let position = place(index), let transformation = binding.transformation(at: index) else { return }
        attempt {
            guard let bytes = try transformation.bytes(of: slot) else { return try statement.bindNull(at: position) }
            try bind(bytes, position)
        }
    }

    /// Where a to-one points.
    public func write<Value: PersistentModel>(_ slot: Value?, at index: Int) { writeReference(at: index) }
    public func write<Value: PersistentModel>(_ slot: Value??, at index: Int) { writeReference(at: index) }
    /// Members are related from their own side, or by pairs; the row of the owner says nothing of them.
    public func write<Value: PersistentModel>(_ slot: [Value]?, at index: Int) {}
    public func write<Value: PersistentModel>(_ slot: [Value]??, at index: Int) {}

    private func writeReference(at index: Int) {
        guard let position = place(index), let link = binding.linkIndex(at: index), case .one(let key) = state.link(link) else { return }
        guard let key, let row = keys.row(key, table: binding.links[link].table) else { return bindNull(position) }
        bind(integer: row, position)
    }

    @inlinable
    func place(_ index: Int) -> Int32? {
        let position = positions[index]
        shadow = shadows[index]
        return position > 0 ? position : nil
    }

    // MARK: Placeholders

    func bindNull(_ position: Int32) {
        attempt {
            try statement.bindNull(at: position)
        }
    }

    func bind(integer: Int64, _ position: Int32) { attempt { try statement.bind(integer, at: position) } }
    func bind(double: Double, _ position: Int32) { attempt { try statement.bind(storedDouble: double, at: position) } }
    func bind(uuid: UUID, _ position: Int32) { attempt { try statement.bind(uuid, at: position) } }
    func bind(data: Data, _ position: Int32) { attempt { try bind(data, position) } }

    func bind(text: String, _ position: Int32) {
        attempt {
            try statement.bind(text, at: position)
            // A placeholder that nobody binds is NULL: each row starts from a reset statement.
            if shadow > 0, let normal = CanonicalText.shadow(of: text) { try statement.bind(normal, at: shadow) }
        }
    }

    /// A large value goes into its file first, and the column refers to it.
    private func bind(_ bytes: Data, _ position: Int32) throws {
        guard bytes.count > ExternalReference.inlineByteCountMax, let external, isExternal(position) else {
            return try statement.bind(bytes, at: position)
        }
        try statement.bind(external.write(bytes).text, at: position)
    }

    private func isExternal(_ position: Int32) -> Bool {
        guard let index = positions.firstIndex(of: position), let column = binding.columns[index] else { return false }
        return binding.store.layout.table(of: binding.entity).columns[column].isExternal
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { failure = failure ?? error }
    }
}
