extension AccountDecoder {
    /// One group container, or a list of them.
    func groups(_ node: YAMLNode?) -> [LocalConfiguration] {
        guard let node else { return [] }
        guard case .sequence(let nodes) = node.content else {
            return Section<LocalKey>(node, name: AccountKey.local.rawValue, log: log).flatMap(local).map { [$0] } ?? []
        }
        if nodes.isEmpty { log.add(node.position, found: "a list of 0", expected: "at least one group container") }
        var places: Set<String> = []
        return nodes.compactMap { node in
            guard let group = Section<LocalKey>(node, name: AccountKey.local.rawValue, log: log).flatMap(local) else { return nil }
            if !places.insert(group.groupDirectory).inserted {
                log.add(node.position, found: "group `\(group.group)` again", expected: "each group container once")
            }
            return group
        }
    }

    private func local(_ section: Section<LocalKey>) -> LocalConfiguration? {
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
            return LocalConfiguration.Projection(entity: entry.key, condition: nil, fields: nil, derived: [], order: [], limit: nil, freshness: nil)
        }
        guard let section = Section<ProjectionKey>(entry.value, name: entry.key, log: log) else { return nil }
        let order = section.values(.order, .text) ?? []
        var derived: [LocalConfiguration.Projection.DerivedField] = []
        let fields = section.values(.fields, .text)?.compactMap { field -> String? in
            guard let joined = Self.joined(field) else { return field }
            derived.append(joined)
            return nil
        }
        for field in section[.derived].flatMap({ log.entries($0, expected: "a mapping of expressions by name") }) ?? [] {
            if let text = log.value(field.value, .text) { derived.append(.init(name: field.key, expression: text)) }
        }
        return LocalConfiguration.Projection(
            entity: entry.key, condition: section.value(.where, .text), fields: fields, derived: derived,
            order: order.map { key in
                let isDescending = key.hasPrefix("-")
                return .init(field: isDescending ? String(key.dropFirst()) : key, isDescending: isDescending)
            },
            limit: section.value(.limit, .integer(1...10_000_000)),
            freshness: section.value(.freshness, .duration(.seconds(1) ... .days(3650))))
    }

    /// `list.name as listName`.
    static func joined(_ field: String) -> LocalConfiguration.Projection.DerivedField? {
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 3, words[words.count - 2] == "as", let name = words.last else { return nil }
        return .init(name: String(name), expression: words.dropLast(2).joined(separator: " "))
    }
}
