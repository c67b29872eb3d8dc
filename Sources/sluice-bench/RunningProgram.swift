import Foundation
import Glibc

/// A program of ours that runs beside this one while it is measured.
final class RunningProgram {
    private let process = Process()
    private let log: URL
    let name: String

    /// Starts the program of that name which lies beside this one; what it prints goes to a file.
    /// - Throws: `MissingProgram` where there is none.
    init(_ name: String, _ arguments: [String], log: URL) throws {
        self.name = name
        self.log = log
        let program = try Self.path(of: name)
        try Data().write(to: log)
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func path(of name: String) throws -> String {
        let path = Bundle.main.bundleURL.appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else { throw MissingProgram(path: path, product: name) }
        return path
    }

    /// Runs a command to its end.
    /// - Returns: what it printed, without line breaks at the ends.
    @discardableResult
    static func output(_ name: String, _ arguments: [String]) throws -> String {
        try SpawnedProgram([try path(of: name)] + arguments).output().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits for a line that contains `text`.
    func line(containing text: String) async throws -> String {
        for _ in 0..<3_000 {
            if let line = try printed().split(separator: "\n").first(where: { $0.contains(text) }) { return String(line) }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw WrongResult(description: "\(name) does not come up; it said:\n\(try printed().suffix(2_000))")
    }

    private func printed() throws -> String { String(decoding: try Data(contentsOf: log), as: UTF8.self) }

    /// Ends it as a service manager would.
    func stop() throws {
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        try WrongResult.check(process.terminationStatus == 0, "\(name) ended with \(process.terminationStatus)")
    }

    var isRunning: Bool { process.isRunning }

    // MARK: What the kernel says of it

    /// The most that it had in memory, in MiB.
    var peakMebibytes: Double { get throws { try status("VmHWM:") / 1_024 } }
    /// What it has in memory now, in MiB.
    var mebibytes: Double { get throws { try status("VmRSS:") / 1_024 } }
    var threadCount: Int { get throws { Int(try status("Threads:")) } }
    var descriptorCount: Int { get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count } }

    /// Seconds of processor time so far (proc(5), fields 14 and 15 of stat).
    var processorSeconds: Double {
        get throws {
            let text = try String(contentsOf: URL(filePath: folder + "/stat"), encoding: .utf8)
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
                throw WrongResult(description: "\(folder)/stat cannot be read")
            }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    private var folder: String { "/proc/\(process.processIdentifier)" }

    private func status(_ name: String) throws -> Double {
        let text = try String(contentsOf: URL(filePath: folder + "/status"), encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let value = line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap({ Double($0) }) else {
            throw WrongResult(description: "\(folder)/status has no \(name)")
        }
        return value
    }
}
