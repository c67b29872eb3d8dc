import Foundation

/// A folder for one run, which goes with this value.
final class BenchmarkFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sluice-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // The system's own upkeep of temporary files gets what cannot be removed now.
        try? FileManager.default.removeItem(at: url)
    }
}
