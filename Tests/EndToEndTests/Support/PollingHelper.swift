import Foundation
import Testing

/// A helper that counts the rows of an entity again and again, in a process of its own, until it is stopped.
struct PollingHelper {
    private let program: Program
    private let flag: String

    /// - Parameter user: whose process it is; nil for our own.
    init(_ installation: Installation, group: String, entity: String, as user: String? = nil) throws {
        // Where programs are built others may not enter.
        let glance = installation.path("sluice-glance")
        if !FileManager.default.fileExists(atPath: glance) { try FileManager.default.copyItem(atPath: try Program.path("sluice-glance"), toPath: glance) }
        flag = installation.path("polling-\(UUID().uuidString)")
        try Data().write(to: URL(filePath: flag))
        let script = """
            while [ -e "$1" ]; do
                rows=$("$2" count "$3" --groups-dir "$4" --group "$5" 2>/dev/null)
                echo "$? $rows"
            done
            """
        let arguments = ["sh", "-c", script, "sh", flag, glance, entity, installation.path("groups"), group]
        let prefix = user.map { ["runuser", "-u", $0, "--"] } ?? []
        program = try Program("/usr/bin/env", prefix + arguments)
    }

    /// Answers so far: the exit code, a space, and what was printed.
    var answers: [String] { program.outputText.split(separator: "\n").map(String.init) }

    /// Returns when there are so many more answers than now.
    func waitForAnswers(_ count: Int, within limit: Duration = .seconds(120)) async throws {
        let before = answers.count
        let isDone = try await eventually(within: limit) { answers.count >= before + count || !program.isRunning }
        #expect(isDone && program.isRunning, "\(program.errorText)")
    }

    /// Ends it and returns all its answers.
    func stop() async throws -> [String] {
        unlink(flag)
        try await program.waitForEnd()
        return answers
    }
}
