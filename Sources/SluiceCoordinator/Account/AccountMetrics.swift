import Foundation
import SluiceHTTPServer

extension AccountRuntime {
    /// What `/metrics` on the control socket says, of the rows' store and of that of synced values. It waits for neither.
    nonisolated func metrics() -> MetricsText {
        let accounts = [(self, "rows")] + (keyValues.map { [($0, "values")] } ?? [])
        let all = accounts.map { runtime, store in
            Measured(
                labels: [("account", name), ("store", store)], status: runtime.status, counts: runtime.counters.counts,
                bytes: runtime.storeByteCounts)
        }
        return Self.text(all)
    }

    private struct Measured {
        let labels: MetricsText.Labels
        let status: AccountStatus
        let counts: SyncCounters.Counts
        let bytes: [(file: String, count: Int)]
    }

    /// Of the store and its log. Their sizes are asked of the file system: nothing opens them here.
    private nonisolated var storeByteCounts: [(file: String, count: Int)] {
        [("store", ""), ("log", "-wal")].compactMap { file, suffix in
            // There is none before the store is made.
            let attributes = try? FileManager.default.attributesOfItem(atPath: plan.stateDirectory + "/Private.store" + suffix)
            return (attributes?[.size] as? Int).map { (file, $0) }
        }
    }

    private static func text(_ accounts: [Measured]) -> MetricsText {
        var metrics = MetricsText()
        func samples(_ value: (Measured) -> Int?) -> [(labels: MetricsText.Labels, value: Double)] {
            accounts.compactMap { account in value(account).map { (account.labels, Double($0)) } }
        }
        func samples(_ label: String, _ values: (Measured) -> [String: Int]) -> [(labels: MetricsText.Labels, value: Double)] {
            accounts.flatMap { account in
                values(account).sorted { $0.key < $1.key }.map { (account.labels + [(label, $0.key)], Double($0.value)) }
            }
        }
        func seconds(_ value: (Measured) -> Int64?) -> [(labels: MetricsText.Labels, value: Double)] {
            accounts.compactMap { account in value(account).map { (account.labels, Double($0) / 1_000) } }
        }
        metrics.add(
            "sluice_account_state", .gauge, "1 for the state that the account is in.",
            samples("state") { account in
                Dictionary(uniqueKeysWithValues: AccountStatus.states.map { ($0, $0 == account.status.state ? 1 : 0) })
            })
        metrics.add("sluice_account_pending_records", .gauge, "Records with unsent changes.", samples { $0.status.pending })
        metrics.add("sluice_account_in_flight_records", .gauge, "Records of operations that are under way.", samples { $0.status.inFlight })
        metrics.add(
            "sluice_account_set_aside_records", .gauge, "Records that the service refused for good, until a person acts.",
            samples { $0.status.setAsideCount })
        metrics.add("sluice_account_inbox_records", .gauge, "Records of the feed that wait for others.", samples { $0.status.inbox })
        metrics.add(
            "sluice_account_parked_records", .gauge, "Records of the feed whose others never came.", samples { $0.status.parked })
        metrics.add(
            "sluice_account_oldest_change_timestamp_seconds", .gauge, "When the oldest unsent change was made.",
            seconds { $0.status.oldestChange })
        metrics.add(
            "sluice_account_last_success_timestamp_seconds", .gauge, "The last time everything was in step.",
            seconds { $0.status.lastSuccess })
        metrics.add(
            "sluice_account_group_is_behind", .gauge, "1 while what helpers read is older than the store.",
            samples { $0.status.groupProblem == nil ? 0 : 1 })
        metrics.add("sluice_account_requests_total", .counter, "Requests to the service.", samples("endpoint") { $0.counts.requests })
        metrics.add(
            "sluice_account_request_failures_total", .counter, "Requests that came to nothing.", samples("reason") { $0.counts.failures })
        metrics.add("sluice_account_store_failures_total", .counter, "Steps that the store failed in.", samples { $0.counts.storeFailures })
        metrics.add("sluice_account_pushed_records_total", .counter, "Records that the service took.", samples { $0.counts.pushedRecords })
        metrics.add(
            "sluice_account_refused_records_total", .counter, "Records that the service refused for good.", samples { $0.counts.refusedRecords })
        metrics.add("sluice_account_pulled_records_total", .counter, "Records that came from the service.", samples { $0.counts.pulledRecords })
        metrics.add(
            "sluice_account_pulled_deletions_total", .counter, "Deletions that came from the service.", samples { $0.counts.pulledDeletions })
        metrics.add(
            "sluice_account_field_conflicts_total", .counter, "Fields that both sides had changed.", samples { $0.counts.fieldConflicts })
        metrics.add("sluice_account_full_fetches_total", .counter, "Times that everything was fetched again.", samples { $0.counts.fullFetches })
        metrics.add(
            "sluice_account_store_bytes", .gauge, "Size of the synced store and of its log.",
            samples("file") { Dictionary(uniqueKeysWithValues: $0.bytes.map { ($0.file, $0.count) }) })
        return metrics
    }
}
