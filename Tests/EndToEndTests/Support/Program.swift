import Foundation

/// A program of this package, as it was built for the tests, in a process of its own.
///
/// What it prints goes to files: a pipe that is read by a dispatch source has to be cancelled before it closes, and nobody can say when the
/// last of a killed process's children lets go of it.
final class Program: @unchecked Sendable {
    // Unchecked: `Process` is used by the one test that made it; the paths never change.

    struct Outcome: Sendable {
        let code: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let folder: URL

    /// Programs lie beside the bundle of tests.
    static func path(_ name: String) throws -> String {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-run-\(UUID().uuidString)")
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : try Self.path(name))
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/nonexistent"].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: "/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.standardOutput = try file("out")
        process.standardError = try file("err")
        try process.run()
    }

    private func file(_ name: String) throws -> FileHandle {
        let path = folder.appending(path: name)
        try Data().write(to: path)
        return try FileHandle(forWritingTo: path)
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
        let program = try Program(name, arguments, environment: environment)
        program.process.waitUntilExit()
        return Outcome(code: program.process.terminationStatus, output: program.outputText, errors: program.errorText)
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    /// Whether SIGSTOP has halted it.
    var isStopped: Bool {
        get throws {
            // The state stands behind the name, which may hold anything, a parenthesis too.
            let fields = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            return fields.split(separator: ")").last?.hasPrefix(" T ") ?? false
        }
    }
    /// How it is, for whoever reads of a failure.
    var condition: String { process.isRunning ? "running" : "ended with \(process.terminationStatus)" }
    /// What it has printed so far.
    var outputText: String { text("out") }
    var errorText: String { text("err") }

    private func text(_ name: String) -> String {
        do { return String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self) } catch { return "\(error)" }
    }

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

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder.path): \(error)") }
    }
}
