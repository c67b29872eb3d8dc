extension AccountDecoder {
    func local(_ section: Section<LocalKey>) -> LocalConfiguration? {
        let entries = section[.projections].flatMap { log.entries($0, expected: "a mapping of entities by name") } ?? []
        let projections = entries.compactMap(projection)
        let group = section.required(.group, .fileName)
        let directory = section.path(.groupsDirectory, in: place, .none) ?? environment.groupsDirectory
        let unixGroup = section.value(.unixGroup, .fileName)
        return group.map {
            LocalConfiguration(group: $0, groupsDirectory: directory, unixGroup: unixGroup, projections: projections)
        }
    }

    /// `Entity: all`, or a mapping that narrows it.
    private func projection(_ entry: YAMLNode.Entry) -> LocalConfiguration.Projection? {
        if case .scalar("all") = entry.value.content {
            return LocalConfiguration.Projection(entity: entry.key, condition: nil, fields: nil, order: [], limit: nil)
        }
        guard let section = Section<ProjectionKey>(entry.value, name: entry.key, log: log) else { return nil }
        let order = section.values(.order, .text) ?? []
        return LocalConfiguration.Projection(
            entity: entry.key, condition: section.value(.where, .text), fields: section.values(.fields, .text),
            order: order.map { key in
                let isDescending = key.hasPrefix("-")
                return .init(field: isDescending ? String(key.dropFirst()) : key, isDescending: isDescending)
            },
            limit: section.value(.limit, .integer(1...10_000_000)))
    }
}
