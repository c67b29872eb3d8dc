import SluiceRecords

extension ServiceLimits {
    /// What batches are cut to after one of so many members was refused as a whole.
    func halved(memberCount: Int) -> ServiceLimits {
        ServiceLimits(operations: max(1, min(operations, memberCount) / 2), bytes: bytes)
    }
}
