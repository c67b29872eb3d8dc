import SluiceCommandLine

/// A program of ours that a benchmark runs is not beside this one.
struct MissingProgram: ExitCodeProviding, CustomStringConvertible {
    let path: String
    let product: String
    let exitCode = ExitCode.noInput
    var description: String { "\(path) is no program: build it with `swift build -c release --product \(product)`" }
}
