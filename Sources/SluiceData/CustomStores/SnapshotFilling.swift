import Foundation
import SluiceSchema

/// Puts the values of a snapshot into the slots of a model; relationships go into its links.
struct SnapshotFilling: _PropertyVisitor {
    private let binding: EntityBinding
    private let state: _ModelState
    /// By the places of the properties.
    private let values: [Any?]
    /// Whether only slots that are empty are filled; else all that were not edited.
    private let fillsGapsOnly: Bool

    init(_ row: SnapshotRow, of binding: EntityBinding, state: _ModelState, fillsGapsOnly: Bool) {
        self.binding = binding
        self.state = state
        self.fillsGapsOnly = fillsGapsOnly
        values = binding.shape.properties.map { row.values[$0.name] }
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) { relate(at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) { relate(at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) { relate(at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) { relate(at: index) }

    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {
        guard !binding.shape.properties[index].isEphemeral, wants(index, isLoaded: slot != nil) else { return }
        slot = value(at: index) ?? Self.none() ?? binding.defaultValue(of: Value.self, at: index)
    }

    private func wants(_ index: Int, isLoaded: Bool) -> Bool { isLoaded ? !fillsGapsOnly && !state.isChanged(index) : true }

    // MARK: Attributes

    private func value<Value>(at index: Int) -> Value? {
        guard let value = values[index] else { return nil }
        if let transformation = binding.transformation(at: index) {
            return (value as? Data).flatMap { transformation.value(of: Value.self, in: $0) }
        }
        return value as? Value ?? converted(value)
    }

    /// nil as a value, for a property that may be nil.
    private static func none<Value>() -> Value? { Optional<Any>.none as? Value }

    /// A value of another type with the same encoded form: a raw value for an enum, a struct of the store's own for one of the model's.
    private func converted<Value>(_ value: Any) -> Value? {
        guard let value = value as? any Encodable, let type = Value.self as? any Decodable.Type else { return nil }
        // What does not fit reads as the property's default, as a value of a newer program does in any store.
        return (try? CanonicalJSON.decode(type, from: CanonicalJSON.encode(value))) as? Value
    }

    // MARK: Relationships

    private func relate(at index: Int) {
        guard let place = binding.linkIndex(at: index), wants(index, isLoaded: state.isLoaded(link: place)) else { return }
        let link = binding.links[place]
        if link.isToMany {
            let members = values[index] as? [PersistentIdentifier] ?? []
            state.setLink(place, to: .many(members.compactMap(binding.customKey)))
        } else {
            state.setLink(place, to: .one((values[index] as? PersistentIdentifier).flatMap(binding.customKey)))
        }
    }
}

extension EntityBinding {
    /// The number of a row that a snapshot of this store names; nil for a model that was never saved.
    func customKey(of identifier: PersistentIdentifier) -> Int64? {
        guard let keys = store.custom?.keys, !identifier.isTemporary else { return nil }
        let number = keys.number(of: identifier.key)
        if entity.discriminator != nil { keys.note(identifier.entityName, of: number, table: tableID) }
        return number
    }
}
