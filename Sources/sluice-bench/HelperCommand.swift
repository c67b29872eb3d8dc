import Foundation
import SluiceCommandLine

/// `sluice-bench helper`: from the start of `sluice-glance` to its printed line, beside the `sqlite3` shell on the same rows.
struct HelperCommand: AsynchronousCommand {
    private static let glance = Parameter<String>.option(
        "glance", value: "FILE", help: "The helper: the static release (default: the one in .build-static, else beside this program).")
    private static let shell = Parameter<String>.option("sqlite3", value: "FILE", default: "/usr/bin/sqlite3", help: "The shell.")
    private static let rows = Parameter<Int>.option("rows", short: "n", value: "COUNT", default: "1000", help: "Rows of the container.")
    private static let rounds = Parameter<Int>.option(
        "rounds", short: "r", value: "COUNT", default: "201", help: "How often each side runs; medians are printed.")
    private static let keep = Parameter<String>.option(
        "keep", value: "DIR", help: "Make the group container in DIR, leave it there and measure nothing: for profilers.")
    private static let json = Flag("json", help: "Print one JSON object per benchmark.")

    static let declaration = Declaration(
        "helper", "Start sluice-glance and the sqlite3 shell in turn, on the same query of one group container.",
        discussion: """
            Each time is that of one process, from its start to the end of its output and of itself. Both print the same text,
            or the run ends with an error. Memory is the most that either had resident until its output was under way.
            """,
        parameters: [glance.declaration, shell.declaration, rows.declaration, rounds.declaration, keep.declaration, json.declaration],
        exitCodes: [(.noInput, "The helper or the shell is not there."), (.software, "A benchmark gave a wrong result.")])

    /// A program that is to be measured is not there.
    struct NoProgram: ExitCodeProviding, CustomStringConvertible {
        let path: String
        let exitCode = ExitCode.noInput
        var description: String {
            "\(path) is no program: build it with `bash Deploy/build-helpers.sh`"
        }
    }

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.rows, Self.rounds] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let beside = Bundle.main.bundleURL.appending(path: "sluice-glance").path
        let usual = ".build-static/release/sluice-glance"
        let glance = arguments.value(of: Self.glance) ?? (FileManager.default.isExecutableFile(atPath: usual) ? usual : beside)
        let shell = arguments.required(Self.shell)
        for path in [glance, shell] where !FileManager.default.isExecutableFile(atPath: path) { throw NoProgram(path: path) }
        let rows = arguments.required(Self.rows)
        if let folder = arguments.value(of: Self.keep).map({ URL(filePath: $0, directoryHint: .isDirectory) }) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            _ = try HelperBenchmarks(folder: folder, rows: rows, glance: glance, shell: shell)
            return .success
        }
        console.report("\(glance) beside \(shell)")
        try BenchmarkRun(rounds: arguments.required(Self.rounds), asJSON: arguments.isSet(Self.json)).run(console) { folder in
            try HelperBenchmarks(folder: folder, rows: rows, glance: glance, shell: shell).all()
        }
        return .success
    }
}
