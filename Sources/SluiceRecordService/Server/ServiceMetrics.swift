import SluiceHTTPServer
import Synchronization

/// Counters of one process, in the Prometheus text format.
package final class ServiceMetrics: Sendable {
    private struct Answer: Hashable {
        let endpoint: String
        let status: Int
    }

    private struct Counts {
        /// By endpoint and status; both come from bounded sets.
        var requests: [Answer: Int] = [:]
        var recordsRead = 0
        var recordsWritten = 0
        var replays = 0
        var longPolls = 0
        var seconds = 0.0
    }

    private let counts = Mutex(Counts())

    package init() {}

    func count(endpoint: String, status: Int, seconds: Double) {
        counts.withLock {
            $0.requests[Answer(endpoint: endpoint, status: status), default: 0] += 1
            $0.seconds += seconds
        }
    }

    func countRecords(read: Int = 0, written: Int = 0, isReplay: Bool = false) {
        counts.withLock {
            $0.recordsRead += read
            $0.recordsWritten += written
            if isReplay { $0.replays += 1 }
        }
    }

    /// - Parameter change: 1 when a request begins to wait for a commit, -1 when it does no longer.
    func countLongPolls(_ change: Int) { counts.withLock { $0.longPolls += change } }

    func text(_ storage: StorageStatistics, connections: Int) -> MetricsText {
        let counts = counts.withLock { $0 }
        var metrics = MetricsText()
        metrics.add(
            "sluice_requests_total", .counter, "Requests that were answered.",
            counts.requests.sorted { ($0.key.endpoint, $0.key.status) < ($1.key.endpoint, $1.key.status) }.map { answer, count in
                ([("endpoint", answer.endpoint), ("status", "\(answer.status)")], Double(count))
            })
        metrics.add("sluice_request_seconds_total", .counter, "Time that answering took.", counts.seconds)
        metrics.add("sluice_records_read_total", .counter, "Records that went out.", Double(counts.recordsRead))
        metrics.add("sluice_records_written_total", .counter, "Records that were written.", Double(counts.recordsWritten))
        metrics.add("sluice_replays_total", .counter, "Operations whose kept outcome was sent again.", Double(counts.replays))
        metrics.add("sluice_connections", .gauge, "Open connections.", Double(connections))
        metrics.add("sluice_long_polls", .gauge, "Requests that wait for a change.", Double(counts.longPolls))
        metrics.add("sluice_databases", .gauge, "Databases.", Double(storage.databases))
        metrics.add("sluice_zones", .gauge, "Zones.", Double(storage.zones))
        metrics.add("sluice_stored_bytes", .gauge, "Bytes of the records.", Double(storage.bytes))
        return metrics
    }
}
