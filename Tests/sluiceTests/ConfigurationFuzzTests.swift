import Foundation
import FuzzFixture
import Testing

@testable import SluiceConfiguration

/// Every kind of configuration file with bytes in it that are a little wrong, or very: it is read, or every fault of it is told.
@Suite(.timeLimit(.minutes(60))) struct ConfigurationFuzzTests {
    /// A kind of file, its sample, and what reads it.
    private struct Kind: Sendable {
        let name: String
        let read: @Sendable (_ file: String, _ root: String) throws -> Void
    }

    private static let environment = ConfigurationEnvironment(variables: ["HOME": "/nowhere"])
    private static let kinds = [
        Kind(name: "accounts.d/sample.yaml") { file, _ in _ = try AccountConfiguration.load(file, environment) },
        Kind(name: "sluice-records.yaml") { file, _ in _ = try RecordServiceConfiguration.load(file) },
        Kind(name: "schemas/shopping/1.0.0.yaml") { file, _ in _ = try SchemaFile.load(file) },
        Kind(name: "schemas/tasks/3.0.0.yaml") { _, root in _ = try SchemaFile.loadVersions(root + "/schemas/tasks") },
        Kind(name: "schemas/tasks/released.sums") { file, _ in _ = try ReleasedSums(readingFrom: file) },
        Kind(name: "legacy/mapping.yaml") { file, _ in _ = try MappingFile.load(file) },
    ]

    private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        Array(text.split(separator: UInt8(ascii: "\n")).filter { $0.first { $0 != UInt8(ascii: " ") } != UInt8(ascii: "#") }.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    }

    @Test func `a file of any kind is read, or refused with its faults; the program says them and exits with 78`() async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "sluice-fuzz-\(UUID().uuidString)").path
        try FileManager.default.copyItem(atPath: package.appending(path: "Config").path, toPath: root)
        defer { do { try FileManager.default.removeItem(atPath: root) } catch { print("could not remove \(root): \(error)") } }
        for secret in ["credentials/sample-user-token", "certificates/localhost.pem", "certificates/localhost.key"] {
            let url = URL(filePath: root).appending(path: secret)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        }
        let samples = try Self.kinds.map { Array(try Data(contentsOf: URL(filePath: root).appending(path: $0.name))) }
        // Most of a sample is explanation, in which bytes may be what they like.
        let bare = samples.map(Self.withoutComments)
        // What is good is read, or a test that everything is refused would pass.
        for (kind, text) in zip(Self.kinds, bare) {
            try kind.read("\(root)/\(kind.name)", root)
            try Data(text).write(to: URL(filePath: "\(root)/\(kind.name)"))
            try kind.read("\(root)/\(kind.name)", root)
        }
        let sluice = try BuiltProgram("sluice")
        var count = 0
        try await Fuzzing.run("configuration", share: 0.15) { mutator in
            let index = mutator.number(below: samples.count)
            let kind = Self.kinds[index]
            let bytes = mutator.mutated(mutator.number(below: 8) == 0 ? bare : [mutator.number(below: 4) == 0 ? samples[index] : bare[index]])
            let file = "\(root)/\(kind.name)"
            try Data(bytes).write(to: URL(filePath: file))
            defer { do { try Data(samples[index]).write(to: URL(filePath: file)) } catch { Issue.record(error) } }
            var isRefused = false
            do { try kind.read(file, root) } catch let error as ConfigurationError {
                isRefused = true
                #expect(!error.faults.isEmpty && error.faults.allSatisfy { !$0.found.isEmpty && !$0.expected.isEmpty }, "\(kind.name) \(Fuzzing.text(bytes))")
            }
            count += 1
            guard count % 40 == 1, !kind.name.hasSuffix(".sums") else { return }
            let outcome = try sluice.run(["config", "check", file])
            #expect(outcome.code == 78 || !isRefused && outcome.code == 0, "\(kind.name) \(outcome) \(Fuzzing.text(bytes))")
            #expect(outcome.code == 0 || outcome.output.contains(": found "), "\(kind.name) \(outcome)")
        }
    }
}
