package import SluiceConfiguration
import SluiceGroup
import SluiceSchema
import SluiceStore

/// What an account file says about its group containers, without the account's store.
package enum ProjectionExplanations {
    /// - Returns: nil where the schema is not in files.
    /// - Throws: `ControlFailure` where there is no such group container, `GroupError` for rules that do not fit the schema.
    package static func groups(of account: AccountConfiguration, only name: String?) throws -> [ProjectionResponse.Group]? {
        guard case .fixed(let schema) = try SchemaPlan(account) else { return nil }
        let chosen = account.groups.filter { name == nil || $0.group == name }
        if let name, chosen.isEmpty {
            throw ControlFailure(code: "notFound", message: "account \(account.name) fills no group container \(name)")
        }
        let store = try Store(path: Store.memoryPath, schema: schema, options: Store.Options(zone: account.zone(for: schema)))
        return try chosen.map { group in
            let projections = try group.projections.map(AccountPlan.projection)
            return ProjectionResponse.Group(
                group: group.group, directory: group.groupDirectory,
                rules: try LocalStoreWriter.explanations(
                    of: projections.isEmpty ? Projection.everything(in: schema) : projections, in: store))
        }
    }
}
