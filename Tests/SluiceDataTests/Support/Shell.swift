import Foundation

/// Another process that writes: the sqlite3 shell.
enum Shell {
    struct Failure: Error {
        let status: Int32
    }

    static func run(_ sql: String, on path: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, "PRAGMA busy_timeout = 60000; \(sql)"]
        process.standardOutput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw Failure(status: status) }
    }
}
