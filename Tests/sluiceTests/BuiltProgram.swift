import Foundation

/// A program of this package, as it was built for the tests.
struct BuiltProgram {
    struct Outcome: Equatable {
        var code: Int32
        var output: String
        var errors: String
    }

    private let url: URL

    /// Programs lie beside the bundle of tests.
    init(_ name: String) throws {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        url = tests.deletingLastPathComponent().appending(path: name)
    }

    /// Runs it to its end. Its output is small enough for a pipe to hold.
    @discardableResult
    func run(_ arguments: [String], environment: [String: String] = [:], in directory: String = "/") throws -> Outcome {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: directory)
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let reported = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            code: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: reported, as: UTF8.self))
    }
}
