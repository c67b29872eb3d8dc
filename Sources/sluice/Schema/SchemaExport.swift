import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator
import SluiceSchema

/// `sluice schema export`: the schema inside a store as a schema file.
struct SchemaExport: SynchronousCommand {
    private static let source = Parameter<String>.positional(
        "STORE|ACCOUNT", .one, help: "A store's path, or an account's name for its synced store.")
    private static let output = Parameter<String>.option(
        "output", short: "o", value: "FILE", help: "The file to write; it must not be there yet. Default: standard output.")

    static let declaration = Declaration(
        "export", "Print the schema of a store as a schema file.", discussion: "The store is only read; a coordinator may be running.",
        parameters: [source.declaration, output.declaration, AccountOption.config.declaration],
        exitCodes: [
            (.data, "The file is no store."), (.noInput, "There is no such store."),
            (.cannotCreate, "The file cannot be written, or is there already."),
        ])

    private let source: String
    private let output: String?
    private let directory: String?

    init(_ arguments: Arguments) {
        source = arguments.required(Self.source)
        output = arguments.value(of: Self.output)
        directory = arguments.value(of: AccountOption.config)
    }

    func run(_ console: Console) throws -> ExitCode {
        let path = try storePath()
        let text = SchemaFile.yaml(for: try SchemaPath.schema(inStore: path))
        guard let output else {
            console.printLine(String(text.dropLast()))
            return .success
        }
        do { try Data(text.utf8).write(to: URL(filePath: output), options: .withoutOverwriting) } catch {
            throw SchemaProblem("\(output) cannot be written: \(error.localizedDescription)", .cannotCreate)
        }
        return .success
    }

    private func storePath() throws -> String {
        guard !source.contains("/"), !FileManager.default.fileExists(atPath: source) else { return source }
        return StateDirectory.storePath(in: try AccountOption(name: source, directory: directory).configuration().synced.stateDirectory)
    }
}
