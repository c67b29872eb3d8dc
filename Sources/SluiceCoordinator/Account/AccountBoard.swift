// What an account shows of itself, to be had at any time: while the store migrates, too.

extension AccountRuntime {
    package nonisolated var status: AccountStatus {
        var status = board.status
        if let keyValues {
            let values = keyValues.status
            status.keyValues = AccountStatus.KeyValueStatus(values)
            status.revision = (status.revision ?? 0) + (values.revision ?? 0)
        }
        return status
    }

    /// The status as soon as its revision is another one, or after `limit`.
    package nonisolated func status(after revision: Int64, within limit: Duration) async -> AccountStatus {
        let (own, values) = (board.revision, keyValues?.board.revision)
        guard own + (values ?? 0) == revision, !isStopAnnounced else { return status }
        await withTaskGroup { group in
            group.addTask { await self.board.wait(whileRevisionIs: own) }
            if let values, let keyValues { group.addTask { await keyValues.board.wait(whileRevisionIs: values) } }
            // Cancelled as soon as there is news: an end like the other.
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        return status
    }

    nonisolated func updateBoard(_ change: (inout AccountStatus) -> Void) { board.update(change) }
}
