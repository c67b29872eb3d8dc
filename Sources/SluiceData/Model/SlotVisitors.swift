// The things that happen to all slots of a model, each a visitor.

/// Empties slots, all or some: values are read again when they are asked for.
struct SlotClearing: _PropertyVisitor {
    private let indices: [Int]?

    init() { indices = nil }
    init(only indices: [Int]) { self.indices = indices }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) { clear(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) { clear(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) { clear(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) { clear(&slot, at: index) }
    mutating func visit<Value>(_ slot: inout Value?, at index: Int) { clear(&slot, at: index) }

    private func clear<Value>(_ slot: inout Value?, at index: Int) {
        if indices?.contains(index) ?? true { slot = nil }
    }
}

/// Takes the partners of a model that joins a context out of its slots; the context keeps them as keys.
struct RelationshipAdopter: _PropertyVisitor {
    struct Relation {
        let model: any PersistentModel
        let property: Int
        let isToMany: Bool
        let partners: [any PersistentModel]
    }

    let model: any PersistentModel
    private(set) var relations: [Relation] = []

    init(model: any PersistentModel) { self.model = model }

    private mutating func note(_ partners: [any PersistentModel], at index: Int, isToMany: Bool) {
        guard !partners.isEmpty else { return }
        relations.append(Relation(model: model, property: index, isToMany: isToMany, partners: partners))
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) {
        note(slot.map { [$0] } ?? [], at: index, isToMany: false)
        slot = nil
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) {
        note((slot ?? nil).map { [$0] } ?? [], at: index, isToMany: false)
        slot = nil
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) {
        note(slot ?? [], at: index, isToMany: true)
        slot = nil
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) {
        note((slot ?? nil) ?? [], at: index, isToMany: true)
        slot = nil
    }

    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {}
}

/// Reads one slot as a value of any type; nil where it is not loaded.
struct SlotReading: _PropertyVisitor {
    let index: Int
    private(set) var value: Any?

    init(_ index: Int) { self.index = index }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) { read(slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) { read(slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) { read(slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) { read(slot, at: index) }
    mutating func visit<Value>(_ slot: inout Value?, at index: Int) { read(slot, at: index) }

    private mutating func read<Value>(_ slot: Value?, at index: Int) {
        if index == self.index, let slot { value = slot }
    }
}

/// Writes one slot, if the value is of the property's type.
struct SlotWriting: _PropertyVisitor {
    let index: Int
    let value: Any?
    private(set) var isWritten = false

    init(_ index: Int, _ value: Any?) {
        self.index = index
        self.value = value
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) { write(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) { write(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) { write(&slot, at: index) }
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) { write(&slot, at: index) }
    mutating func visit<Value>(_ slot: inout Value?, at index: Int) { write(&slot, at: index) }

    private mutating func write<Value>(_ slot: inout Value?, at index: Int) {
        guard index == self.index else { return }
        if let value = value as? Value {
            slot = value
            isWritten = true
        } else if value == nil {
            slot = nil
            isWritten = true
        }
    }
}
