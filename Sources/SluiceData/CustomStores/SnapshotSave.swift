import Foundation

/// Puts snapshots into a store of this module, through a context.
struct SnapshotSave {
    private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
    private let context: ModelContext
    private let store: String

    init(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, in context: ModelContext, of store: String) {
        self.request = request
        self.context = context
        self.store = store
    }

    func run() throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        var created: [PersistentIdentifier: any PersistentModel] = [:]
        for snapshot in request.inserted {
            let model = try make(snapshot)
            context.core.insert(model)
            created[snapshot.persistentIdentifier] = model
        }
        for snapshot in request.inserted + request.updated { try fill(snapshot, created) }
        for snapshot in request.deleted { context.core.delete(context.model(for: snapshot.persistentIdentifier)) }
        var token: (any HistoryToken)?
        if context.hasChanges { token = try context.core.save(author: context.author).tokens[store] }
        return DataStoreSaveChangesResult(for: store, remappedIdentifiers: created.mapValues(\.persistentModelID), historyToken: token)
    }

    private func make(_ snapshot: DefaultSnapshot) throws -> any PersistentModel {
        guard let binding = context.core.schema.binding(named: snapshot.persistentIdentifier.entityName) else {
            throw SwiftDataError.unknownSchema.because("the store has no model \(snapshot.persistentIdentifier.entityName)")
        }
        return binding.type.init(_$state: _ModelState())
    }

    private func fill(_ snapshot: DefaultSnapshot, _ created: [PersistentIdentifier: any PersistentModel]) throws {
        func model(_ identifier: PersistentIdentifier) -> any PersistentModel { created[identifier] ?? context.model(for: identifier) }
        let target = model(snapshot.persistentIdentifier)
        guard let binding = target._$state.binding, target._$state.core != nil else {
            throw SwiftDataError.modelValidationFailure.because(
                "there is no row \(snapshot.persistentIdentifier) to update: another program may have deleted it")
        }
        for property in binding.shape.properties where !property.isEphemeral {
            let value = snapshot.values[property.name]
            switch property.kind {
            case .attribute: set(value, property, of: target, binding)
            case .toOne: context.core.relate(target, at: property.index, to: (value as? PersistentIdentifier).map(model))
            case .toMany: context.core.relate(target, at: property.index, toMembers: (value as? [PersistentIdentifier] ?? []).map(model))
            }
        }
    }

    private func set(_ value: Any?, _ property: ModelProperty, of target: any PersistentModel, _ binding: EntityBinding) {
        var writing = AttributeWriting(value, at: property.index, binding)
        target._$visit(&writing)
        target._$state.noteChange(property.index)
    }
}

/// Writes one attribute from a snapshot.
private struct AttributeWriting: _PropertyVisitor {
    private let value: Any?
    private let index: Int
    private let binding: EntityBinding

    init(_ value: Any?, at index: Int, _ binding: EntityBinding) {
        self.value = value
        self.index = index
        self.binding = binding
    }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) {}

    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {
        guard index == self.index else { return }
        if let transformation = binding.transformation(at: index) {
            slot = transformation.value(of: Value.self, in: value as? Data)
        } else {
            slot = value as? Value ?? (Optional<Any>.none as? Value) ?? binding.defaultValue(of: Value.self, at: index)
        }
    }
}
