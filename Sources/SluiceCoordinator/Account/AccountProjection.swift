import SluiceGroup
import SluiceReader

extension AccountRuntime {
    /// Explains what fills the group containers, or one of them.
    /// - Throws: `ControlFailure` where there is no such group container, or the store is not open.
    func explainProjections(group: String?) throws -> [ProjectionResponse.Group] {
        let session = try openSession()
        return try chosenGroups(group).map { index in
            let (plan, writer) = (plan.groups[index], session.localStores[index])
            return ProjectionResponse.Group(
                group: plan.name, directory: plan.directory, file: writer.shown?.file.name, generation: writer.shown?.number,
                rules: try writer.explanations(in: session.store))
        }
    }

    /// Builds new local stores and moves the pointers to them. One that fails does not keep the next from its turn.
    func rebuildLocalStores(_ request: RebuildRequest) throws -> RebuildResponse {
        let session = try openSession()
        return RebuildResponse(
            groups: try chosenGroups(request.group).map { index in
                let name = plan.groups[index].name
                do {
                    let generation = try session.localStores[index].rebuild(from: session.store, lastSync: session.lastSync)
                    log(.notice("account \(self.name): \(name) was built anew as \(generation.file.name), generation \(generation.number)"))
                    return .init(
                        group: name, file: generation.file.name, generation: generation.number,
                        rows: try session.localStores[index].rowCounts())
                } catch {
                    log(.error("account \(self.name): \(name) cannot be built anew: \(error)"))
                    return .init(group: name, rows: [:], problem: "\(error)")
                }
            })
    }

    /// Places of the group containers that are meant.
    func chosenGroups(_ group: String?) throws -> [Int] {
        guard let group else {
            guard !plan.groups.isEmpty else { throw ControlFailure(code: "notFound", message: "account \(name) fills no group container") }
            return Array(plan.groups.indices)
        }
        guard let index = plan.groups.firstIndex(where: { $0.name == group }) else {
            let known = plan.groups.map(\.name).joined(separator: ", ")
            throw ControlFailure(code: "notFound", message: "account \(name) fills no group container \(group); it fills \(known)")
        }
        return [index]
    }
}
