package import SluiceGroup

/// What fills the group containers of an account.
package struct ProjectionResponse: Codable, Sendable {
    package struct Group: Codable, Sendable {
        package var group: String
        package var directory: String
        /// The local store that helpers read; nil where none was built yet, or nobody is there to say.
        package var file: String?
        package var generation: Int64?
        package var rules: [ProjectionExplanation]

        package init(group: String, directory: String, file: String? = nil, generation: Int64? = nil, rules: [ProjectionExplanation]) {
            self.group = group
            self.directory = directory
            self.file = file
            self.generation = generation
            self.rules = rules
        }
    }

    package var groups: [Group]

    package init(groups: [Group]) { self.groups = groups }
}

package struct RebuildRequest: Codable, Sendable {
    /// nil rebuilds them all.
    package var group: String?

    package init(group: String?) { self.group = group }
}

package struct RebuildResponse: Codable, Sendable {
    package struct Group: Codable, Sendable {
        package var group: String
        /// The new local store.
        package var file: String?
        package var generation: Int64?
        /// Rows in it, by entity.
        package var rows: [String: Int]
        /// Why there is no new store; helpers then read on in the one that was there.
        package var problem: String?
    }

    package var groups: [Group]
}

// MARK: For people

extension ProjectionResponse.Group {
    /// The explanation as lines of text. What they print comes from files: whoever prints them makes it printable.
    package var lines: [String] {
        let shown = file.map { " (\($0), generation \(generation ?? 0))" } ?? ""
        return ["group \(group)\(shown)"] + rules.flatMap { [""] + $0.lines }
    }
}

extension ProjectionExplanation {
    fileprivate var lines: [String] {
        var lines = [rule]
        if let rowsShown { lines.append("  shows   \(rowsShown) rows") }
        if let maximumAgeSeconds { lines.append("  stale   after \(maximumAgeSeconds) s without a sync") }
        lines.append("  SQL     \(sql)")
        for (index, step) in plan.enumerated() { lines.append("  \(index == 0 ? "plan   " : "       ") \(step)") }
        lines.append("  indices \(indices.isEmpty ? "none" : indices.joined(separator: ", "))")
        for (index, trigger) in triggers.enumerated() { lines.append("  \(index == 0 ? "after  " : "       ") \(trigger.line)") }
        return lines + ["  cost    \(cost)"]
    }
}

extension ProjectionExplanation.Trigger {
    fileprivate var line: String {
        let which = columns.map { $0.isEmpty ? ", when one comes or goes" : " (\($0.joined(separator: ", ")))" } ?? ""
        let way = route.isEmpty ? "" : " over \(route.joined(separator: ", "))"
        let rows = rowsPerChange.map { ": \($0) rows looked at for each" } ?? ""
        return "\(table)\(which)\(way)\(rows)"
    }
}
