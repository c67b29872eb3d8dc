import Foundation
import SluiceFailpoints
import SluiceRecords
import SluiceSQLite

/// The one writer of a service's file.
///
/// `@unchecked`: the connection is touched on the queue of its `WriteQueue` only; everything else is immutable.
final class GroupCommitter: GroupWriter, @unchecked Sendable {
    private let connection: Connection
    private let tables: SQLiteTables
    private let epoch: Epoch
    private let environment: StorageEnvironment
    /// Told after each commit whose databases it changed.
    private let onCommit: @Sendable ([DatabaseID]) -> Void

    let groupCountMax = 256

    init(_ connection: consuming sending Connection, _ epoch: Epoch, _ environment: StorageEnvironment, onCommit: @escaping @Sendable ([DatabaseID]) -> Void) {
        self.connection = connection
        tables = SQLiteTables(connection)
        self.epoch = epoch
        self.environment = environment
        self.onCommit = onCommit
    }

    func commit(_ group: [WriteJob]) {
        var confirmations: [@Sendable () -> Void] = []
        var refusals: [@Sendable () -> Void] = []
        var changed: [DatabaseID] = []
        do {
            try connection.transaction {
                let transaction = WriteTransaction(tables, epoch: epoch, now: environment.now(), nonce: environment.random())
                // Alone, a request needs no savepoint: the transaction is its own.
                if group.count == 1 { confirmations.append(try group[0].run(transaction)) }
                for job in group where group.count > 1 {
                    do {
                        confirmations.append(try transaction.savepoint { try job.run(transaction) })
                    } catch {
                        // A full disk ends the whole transaction; then there is nothing left to commit for anybody.
                        guard connection.isInTransaction else { throw error }
                        let error = StorageError(error)
                        refusals.append { job.fail(error) }
                    }
                }
                changed = try transaction.finish()
            }
        } catch {
            let error = StorageError(error)
            for job in group { job.fail(error) }
            return
        }
        Failpoint.pass(.replying)
        for confirm in confirmations { confirm() }
        for refuse in refusals { refuse() }
        onCommit(changed)
    }

    /// Empties the log.
    func end() {
        // A reader that is still open keeps the log; the next start moves it.
        _ = try? connection.checkpoint()
    }
}
