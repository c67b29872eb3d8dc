import Foundation
import SluiceCommandLine
import Testing

/// What is made from the declarations for shells and readers of manuals.
@Suite struct DocumentsTests {
    private static let program = Program(
        "sample", version: "1.2.3", summary: "Shows what a program can be.", environment: [("SAMPLE_HOME", "Where samples live.")],
        commands: [
            .command(ListCommand.self), .group(name: "store", summary: "Look after 'stores': [all].", [.command(FailingCommand.self)]),
            .completions, .manual,
        ])

    private func text(_ line: String) throws -> String {
        guard case .text(let text) = try Self.program.request(line.split(separator: " ").map(String.init)) else {
            Issue.record("\(line) is no text")
            return ""
        }
        return text
    }

    @discardableResult
    private func run(_ command: [String], input: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let (standardInput, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (standardInput, output, output)
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static func isInstalled(_ program: String) -> Bool {
        ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// What bash offers after these words.
    private func offered(_ words: String...) throws -> [String] {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            compopt() { :; }
            \(try text("completions bash"))
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1)
            _sample
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try run(["bash", "--norc", "-s"], input: script)
        #expect(result.status == 0, "\(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func `bash is offered commands, then their options, then the values that an option can have`() throws {
        #expect(try offered("sample", "") == ["list", "store", "completions", "manual", "--help", "--version"])
        #expect(try offered("sample", "l") == ["list"])
        #expect(try offered("sample", "store", "") == ["check", "--help"])
        #expect(try offered("sample", "store", "check", "--a") == ["--account"])
        #expect(try offered("sample", "list", "Item", "--o") == ["--order"])
        #expect(try offered("sample", "list", "--order", "") == ["newest", "oldest"])
        #expect(try offered("sample", "list", "--limit", "") == [])
        #expect(try offered("sample", "completions", "b") == ["bash"])
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed")) func `zsh reads its script and finds a function for each command`() throws {
        let result = try run(
            ["zsh", "-f", "-s"], input: "compdef() { :; }\n\(try text("completions zsh"))\nfor f in _sample _sample_list _sample_store_check; do whence -w $f; done\n")
        #expect(result.status == 0)
        #expect(result.output == "_sample: function\n_sample_list: function\n_sample_store_check: function\n")
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed")) func `fish reads its script and offers what the declarations say`() throws {
        let script = try text("completions fish") + "\ncomplete -C 'sample list --order '\ncomplete -C 'sample store ch'\n"
        let result = try run(["fish", "--no-config"], input: script)
        #expect(result.status == 0)
        let words = result.output.split(separator: "\n").map { $0.split(separator: "\t").first.map(String.init) ?? "" }
        #expect(words == ["newest", "oldest", "check"], "\(result.output)")
    }

    @Test func `nothing in a help text ends the quotes that it stands in`() throws {
        #expect(try text("completions fish").contains("'Look after '\\''stores'\\'': [all]'"))
        #expect(try text("completions zsh").contains("'store:Look after '\\''stores'\\''\\: \\[all\\]'"))
    }

    @Test func `a manual page has every command, option, variable and exit code, and roff finds no fault in it`() throws {
        let page = try text("manual")
        #expect(page.hasPrefix(".TH SAMPLE 1 \"\" \"Sluice 1.2.3\" \"User Commands\"\n.SH NAME\nsample \\- Shows what a program can be\n"))
        for part in [".SS \"sample store check\"", ".B \\-n, \\-\\-limit COUNT", "How many rows. (default: 20)", ".B SAMPLE_HOME", ".B 66", "There is no store."] {
            #expect(page.contains(part), "\(part)")
        }
        guard Self.isInstalled("groff") else { return }
        let result = try run(["groff", "-man", "-ww", "-z", "-Tutf8"], input: page)
        #expect(result.status == 0 && result.output == "", "\(result.output)")
    }

    @Test func `what roff would take for a command is text`() {
        let program = Program(
            "odd", version: "1", summary: ".dots and \\backslashes", commands: [.manual])
        guard case .text(let page)? = try? program.request(["manual"]) else { return }
        #expect(page.contains("\n\\&.dots and \\ebackslashes\n"))
    }
}
