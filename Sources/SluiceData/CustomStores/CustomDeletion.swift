// Delete rules over a custom store, which knows nothing of them: the context finds out which rows go along and which have to let go.

import Foundation
import SluiceSchema

/// What the deletion of some models means for others.
struct CustomDeletion {
    private(set) var doomed = DoomedRows()
    /// The models that go.
    private(set) var models: [any PersistentModel] = []
    /// Models that stay and referred to one that goes.
    private(set) var released: [any PersistentModel] = []
    private let core: ContextCore

    /// - Throws: `SwiftDataError.modelValidationFailure` where a rule denies it.
    init(of models: [any PersistentModel], in core: ContextCore) throws {
        self.core = core
        for model in models { mark(model) }
        var place = 0
        while place < self.models.count {
            follow(self.models[place])
            place += 1
        }
        for model in self.models { try checkDenials(of: model) }
        findReleased()
    }

    private mutating func mark(_ model: any PersistentModel) {
        guard let binding = model._$state.binding, doomed.insert(model._$state.key, table: binding.tableID) else { return }
        models.append(model)
    }

    private mutating func follow(_ model: any PersistentModel) {
        guard let binding = model._$state.binding else { return }
        for (place, link) in binding.links.enumerated() where link.link.deleteRule == .cascade {
            for partner in core.partners(of: model, link: link, place) where partner._$state.phase != .inserted { mark(partner) }
        }
    }

    private func checkDenials(of model: any PersistentModel) throws {
        guard let binding = model._$state.binding else { return }
        for (place, link) in binding.links.enumerated() where link.link.deleteRule == .deny {
            guard core.partners(of: model, link: link, place).allSatisfy({ doomed.contains($0._$state) }) else {
                throw SwiftDataError.deletionDenied(binding.entity.name, relationship: link.link.relationship.name)
            }
        }
    }

    private mutating func findReleased() {
        var seen: Set<ObjectIdentifier> = []
        for model in models {
            guard let binding = model._$state.binding else { continue }
            for (place, link) in binding.links.enumerated() where link.inverse != nil {
                for partner in core.partners(of: model, link: link, place)
                where !doomed.contains(partner._$state) && seen.insert(ObjectIdentifier(partner)).inserted {
                    released.append(partner)
                }
            }
        }
    }
}

extension ContextCore {
    /// The models at the other end of a relationship, marked or not.
    fileprivate func partners(of model: any PersistentModel, link: LinkBinding, _ place: Int) -> [any PersistentModel] {
        let state = model._$state
        let keys = link.isToMany ? memberKeys(of: state, link: place) : [reference(of: state, link: place)].compactMap(\.self)
        return keys.compactMap { self.model(at: $0, table: link.table, of: nil) }
    }
}

extension SwiftDataError {
    static func deletionDenied(_ entity: String, relationship: String) -> SwiftDataError {
        modelValidationFailure.because(
            "a \(entity) is not deleted while its \(relationship) is not empty: delete or move what it refers to first")
    }
}
