import Foundation

/// A program that is not ours, run away from the threads that the service under test answers on.
enum OutsideProgram {
    /// - Returns: what it printed, and how it ended.
    static func run(_ program: String, _ arguments: [String]) async throws -> (output: Data, code: Int32) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: program)
                process.arguments = arguments
                let output = Pipe()
                process.standardOutput = output
                process.standardError = FileHandle.nullDevice
                do {
                    try process.run()
                    let data = output.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    continuation.resume(returning: (data, process.terminationStatus))
                } catch { continuation.resume(throwing: error) }
            }
        }
    }
}
