import Foundation
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// The built server and the official client, over pipes.
@Suite(.timeLimit(.minutes(10))) struct OfficialClientTests {
    private struct Outcome: Equatable {
        let status: Int32
        let output: String
        let errors: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static var program: String { Bundle.main.bundleURL.appending(path: "sluice-mcp").path }

    private func run(_ command: [String], input: String = "") throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = Self.root
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (standardInput, output, errors)
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text, errors: complaint)
    }

    @Test func `the official client lists, describes, asks and reads, and gets its errors`() throws {
        let fixture = try ServerFixture()
        let made = try run(["bash", "Deploy/mcp-client.sh"])
        #expect(made.status == 0, "\(made.errors)")
        let python = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let client = Self.root.appending(path: "Tests/ModelContextProtocol/client.py").path
        let outcome = try run([python, client, Self.program, fixture.folder.appending(path: "groups").path])
        #expect(outcome.status == 0 && outcome.output == "ok\n", "\(outcome.output)\n\(outcome.errors)")
    }

    @Test func `the program answers line by line and ends with its input`() throws {
        let fixture = try ServerFixture()
        let arguments = [Self.program, "--group", "shop", "--groups-dir", fixture.folder.appending(path: "groups").path]
        let input = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
            nonsense
            {"jsonrpc":"2.0","id":2,"method":"ping"}
            """
        let outcome = try run(arguments, input: input)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && outcome.errors == "" && lines.count == 3)
        #expect(lines[0].contains("\"2024-11-05\"") && lines[1].contains("-32700") && lines[2] == #"{"jsonrpc":"2.0","id":2,"result":{}}"#)
        #expect(try run([Self.program, "--groups-dir", "/"]).status == 64)
        #expect(try run([Self.program, "--group", "../x"]).status == 64)
        #expect(try run(["bash", "-c", "exec \"$@\" >&-", "-"] + arguments, input: input).status == 74)
    }

    @Test func `nobody's reading changes the container`() throws {
        let fixture = try ServerFixture()
        try fixture.writer.close()
        func listing() throws -> [String] {
            let group = fixture.folder.appending(path: "groups/shop").path
            return try FileManager.default.subpathsOfDirectory(atPath: group).sorted().filter { !$0.hasSuffix("-shm") }.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(group)/\(name)")
                return "\(name) \(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? "")"
            }
        }
        let before = try listing()
        try fixture.initialize()
        for tool in ["list_entities", "freshness"] { _ = try fixture.answer(tool) }
        _ = try fixture.answer("query", ["entity": "Item"])
        #expect(try listing() == before)
    }
}
