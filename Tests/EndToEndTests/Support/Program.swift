import Foundation
import Synchronization

/// A program of this package, as it was built for the tests, in a process of its own.
final class Program: @unchecked Sendable {
    // Unchecked: `Process` is used by the one test that made it; what its pipes bring is behind a mutex.

    struct Outcome: Sendable {
        let code: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let output = Mutex(Data())
    private let errors = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    /// Programs lie beside the bundle of tests.
    static func path(_ name: String) throws -> String {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : try Self.path(name))
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/nonexistent"].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: "/")
        for (pipe, isErrors) in [(Pipe(), false), (Pipe(), true)] {
            if isErrors { process.standardError = pipe } else { process.standardOutput = pipe }
            pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
                let data = handle.availableData
                if data.isEmpty { handle.readabilityHandler = nil }
                if isErrors { self?.errors.withLock { $0 += data } } else { self?.output.withLock { $0 += data } }
            }
        }
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : try path(name))
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/nonexistent"].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: "/")
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder.path): \(error)") } }
        func file(_ name: String) throws -> FileHandle {
            let path = folder.appending(path: name).path
            try Data().write(to: URL(filePath: path))
            return try FileHandle(forWritingTo: URL(filePath: path))
        }
        process.standardOutput = try file("out")
        process.standardError = try file("err")
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) throws -> String { try String(contentsOf: folder.appending(path: name), encoding: .utf8) }
        return Outcome(code: process.terminationStatus, output: try text("out"), errors: try text("err"))
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var outputText: String { output.withLock { String(decoding: $0, as: UTF8.self) } }
    var errorText: String { errors.withLock { String(decoding: $0, as: UTF8.self) } }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    struct StillRunning: Error {}

    /// Waits for the end; a signal that ended it counts as its negative.
    @discardableResult
    func waitForEnd(within seconds: Double = 30) async throws -> Int32 {
        let end = ContinuousClock.now + .seconds(seconds)
        while process.isRunning {
            guard ContinuousClock.now < end else { throw StillRunning() }
            try await Task.sleep(for: .milliseconds(5))
        }
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
