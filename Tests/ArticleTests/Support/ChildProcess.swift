import Foundation

/// A command of the system's, run to its end.
struct ChildProcess {
    struct Failure: Error {
        let command: String
        let status: Int32
        let output: String
    }

    let status: Int32
    /// Both streams, in the order they came.
    let output: String

    private init(_ command: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// - Throws: `Failure` where the command says that it failed.
    static func run(_ command: String, _ arguments: [String]) throws -> ChildProcess {
        let child = try ChildProcess(command, arguments)
        guard child.status == 0 else { throw Failure(command: command, status: child.status, output: child.output) }
        return child
    }

    static func attempt(_ command: String, _ arguments: [String]) throws -> ChildProcess { try ChildProcess(command, arguments) }
}
