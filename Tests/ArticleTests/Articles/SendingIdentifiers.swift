// S7, articles 000 and 002. Added: the value type, an actor for each side, and what they return.

import SwiftData

struct ItemSnapshot: Sendable {
    let name: String
    let isChecked: Bool
}

/// The side that has the model.
@ModelActor
actor ItemSource {
    func snapshot(named name: String) throws -> (PersistentIdentifier, ItemSnapshot)? {
        guard let item = try modelContext.fetch(FetchDescriptor<ShoppingItem>()).first(where: { $0.name == name }) else { return nil }
        // On the source actor: extract identity + plain values, never the model.
        let id: PersistentIdentifier = item.persistentModelID
        let snapshot = ItemSnapshot(name: item.name, isChecked: item.isChecked)
        return (id, snapshot)
    }
}

/// The side that gets the identifier.
@ModelActor
actor ItemDestination {
    /// Returns what the row was called before.
    func check(_ id: PersistentIdentifier, as name: String) throws -> String? {
        let destinationContext = modelContext
        // On the destination actor: re-fetch from this context, then mutate.
        let fetched = destinationContext.model(for: id) as? ShoppingItem
        let before = fetched?.name
        fetched?.isChecked = true
        fetched?.name = name
        try destinationContext.save()
        return before
    }
}
