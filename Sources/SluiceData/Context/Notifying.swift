// Observers of a property are told by key path. A property set through its accessor tells them itself; these are the changes that come another way:
// the other end of a relationship, a rollback, another context's save.

import Observation

extension ContextCore {
    func notify(_ model: any PersistentModel, at index: Int) {
        guard model._$state.isObserved else { return }
        tell(model, at: index)
    }

    /// Tells the observers of every property.
    func notifyAll(_ model: any PersistentModel) {
        guard model._$state.isObserved, let binding = model._$state.binding else { return }
        for index in binding.shape.properties.indices { tell(model, at: index) }
    }

    /// Partners of a model whose members or references look different once it is marked.
    func notifyPartners(of model: any PersistentModel) {
        let state = model._$state
        guard let binding = state.binding else { return }
        for (place, link) in binding.links.enumerated() {
            for key in keys(state.link(place)) {
                guard let partner = registered(key, table: link.table), partner._$state.isObserved, let inverse = link.inverse,
                    let property = partner._$state.binding?.shape.properties.firstIndex(where: { $0.storedName == inverse })
                else { continue }
                tell(partner, at: property)
            }
        }
    }

    private func tell<Model: PersistentModel>(_ model: Model, at index: Int) {
        let properties = ModelShape.of(Model.self).properties
        guard index < properties.count else { return }
        func open<Value>(_ type: Value.Type) {
            guard let keyPath = properties[index].keyPath as? KeyPath<Model, Value> else { return }
            model._$state.registrar.withMutation(of: model, keyPath: keyPath) {}
        }
        _openExistential(Swift.type(of: properties[index].keyPath).valueType, do: open)
    }
}
