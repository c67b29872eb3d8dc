import Foundation
import Synchronization

/// Counters of one process, in the Prometheus text format.
package final class ServiceMetrics: Sendable {
    private struct Counts {
        /// By endpoint and status; both come from bounded sets.
        var requests: [String: Int] = [:]
        var recordsRead = 0
        var recordsWritten = 0
        var replays = 0
        var seconds = 0.0
    }

    private let counts = Mutex(Counts())

    package init() {}

    func count(endpoint: String, status: Int, seconds: Double) {
        counts.withLock {
            $0.requests["endpoint=\"\(endpoint)\",status=\"\(status)\"", default: 0] += 1
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

    func text(_ storage: StorageStatistics, connections: Int) -> String {
        let counts = counts.withLock { $0 }
        var lines = ["# TYPE sluice_requests_total counter"]
        for (labels, value) in counts.requests.sorted(by: { $0.key < $1.key }) { lines.append("sluice_requests_total{\(labels)} \(value)") }
        let samples: [(String, String, String)] = [
            ("sluice_request_seconds_total", "counter", String(format: "%.3f", counts.seconds)),
            ("sluice_records_read_total", "counter", "\(counts.recordsRead)"),
            ("sluice_records_written_total", "counter", "\(counts.recordsWritten)"),
            ("sluice_replays_total", "counter", "\(counts.replays)"),
            ("sluice_connections", "gauge", "\(connections)"),
            ("sluice_databases", "gauge", "\(storage.databases)"),
            ("sluice_zones", "gauge", "\(storage.zones)"),
            ("sluice_stored_bytes", "gauge", "\(storage.bytes)"),
        ]
        for (name, type, value) in samples { lines += ["# TYPE \(name) \(type)", "\(name) \(value)"] }
        return lines.joined(separator: "\n")
    }
}
