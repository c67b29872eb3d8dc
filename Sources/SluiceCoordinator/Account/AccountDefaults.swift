import SluiceGroup
package import SluiceReader

extension AccountRuntime {
    /// Shared defaults of the group containers, or of one of them.
    package func sharedDefaults(group: String?) throws -> [DefaultsResponse.Group] {
        let session = try openSession()
        return try chosenGroups(group).map { index in
            let name = plan.groups[index].name
            return .init(group: name, values: try StoredDefaults(of: name, in: session.store).values())
        }
    }

    /// Sets a value, or removes it where it is nil, in all group containers or in one. When this returns helpers read it.
    /// - Throws: `SharedDefaultsFault`; nothing is then changed in the container that it is about.
    package func setSharedDefault(_ value: SharedValue?, for key: String, group: String?) throws {
        let session = try openSession()
        for index in try chosenGroups(group) {
            let values = try writing { try StoredDefaults(of: plan.groups[index].name, in: session.store).set(value, for: key) }
            try session.localStores[index].show(values)
        }
    }
}
