// Which column holds which property. All entities of a hierarchy share one table, so names collide: Core Data goes through the
// groups (integers and references, numbers and dates, text, bytes), in each through the entities by number, in each through the
// properties by
// name, and adds a number to a name that is taken. Doing the same gives the columns. Where the file disagrees (it was migrated in place),
// the columns of one name are paired with its properties inside their group, lowest number with lowest entity.

/// Pairs the properties of one hierarchy with the columns of its table.
struct ColumnAssignment {
    /// One property that needs a column.
    struct Request: Hashable {
        let entity: String
        let entityNumber: Int64
        /// The property's name; a composite's members are joined by dots.
        let path: String
        /// What the column is named for: the last part of the path.
        let name: String
        let isReference: Bool
        /// Nil where the type does not tell.
        let group: FileTables.Column.Group?
    }

    private(set) var columns: [Request: String] = [:]
    /// Requests that no column fits.
    private(set) var missing: [Request] = []

    init(_ requests: [Request], in table: FileTables.Table) {
        let simulated = Self.simulate(requests)
        let agrees = simulated.allSatisfy { request, name in
            guard let column = table.column(name) else { return false }
            return request.group == nil || column.group == nil || column.group == request.group
        }
        if agrees {
            columns = simulated
        } else {
            pair(requests, in: table)
        }
    }

    private static func ordered(_ requests: [Request]) -> [Request] {
        requests.sorted {
            (($0.group ?? .bytes).rawValue, $0.entityNumber, $0.isReference ? 1 : 0, $0.path)
                < (($1.group ?? .bytes).rawValue, $1.entityNumber, $1.isReference ? 1 : 0, $1.path)
        }
    }

    private static func simulate(_ requests: [Request]) -> [Request: String] {
        var taken: Set<String> = []
        var columns: [Request: String] = [:]
        for request in ordered(requests) {
            let base = "Z" + request.name.uppercased()
            var name = base
            var number = 1
            while !taken.insert(name).inserted {
                name = base + "\(number)"
                number += 1
            }
            columns[request] = name
        }
        return columns
    }

    private mutating func pair(_ requests: [Request], in table: FileTables.Table) {
        var free = table.columns.filter { ColumnNames.structure[$0.name] == nil }
        // Exact names first, so that a property called `id1` finds ZID1 before the second `id` does.
        let byName = Dictionary(grouping: Self.ordered(requests), by: { $0.name.uppercased() })
        for name in byName.keys.sorted(by: { ($0.count, $0) > ($1.count, $1) }) {
            for request in byName[name] ?? [] {
                let fitting = free.indices.filter { index in
                    let column = free[index]
                    guard ColumnNames.isNumbered(column.name.uppercased(), form: "Z" + name) else { return false }
                    return request.group == nil || column.group == nil || column.group == request.group
                }
                guard let index = fitting.min(by: { (free[$0].name.count, free[$0].name) < (free[$1].name.count, free[$1].name) }) else {
                    missing.append(request)
                    continue
                }
                columns[request] = free.remove(at: index).name
            }
        }
    }
}
