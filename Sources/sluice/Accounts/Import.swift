import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceImport
import SluiceSchema

/// `sluice import --inspect`: what a legacy file holds, and a schema file for it. The import itself is the coordinator's, on its first run.
struct Import: SynchronousCommand {
    private static let file = Parameter<String>.positional("FILE", .one, help: "A Core Data or SwiftData store.")
    private static let inspect = Flag("inspect", help: "Print a schema file made from the store, and its report on stderr.")
    private static let json = Flag("json", help: "Print the report as JSON instead of the schema file.")
    private static let name = Parameter<String>.option(
        "schema-name", value: "NAME", help: "The schema's name. Default: the file's name without its ending.")

    static let declaration = Declaration(
        "import", "Look into a legacy store.",
        discussion: "The file is copied to a temporary folder and opened there; it stays as it is.\nTo import it, name it in an account file and start the coordinator.",
        parameters: [file.declaration, inspect.declaration, name.declaration, json.declaration],
        exitCodes: [(.noInput, "There is no such file."), (.data, "The file is no store, or damaged.")])

    private let file: String
    private let isInspecting: Bool
    private let printsJSON: Bool
    private let name: String?

    init(_ arguments: Arguments) {
        file = arguments.required(Self.file)
        isInspecting = arguments.isSet(Self.inspect)
        printsJSON = arguments.isSet(Self.json)
        name = arguments.value(of: Self.name)
    }

    func validate() throws(UsageError) {
        guard isInspecting else {
            throw UsageError("say --inspect: a store is imported by the coordinator, from the account file's `legacy` section", argument: "import")
        }
    }

    func run(_ console: Console) throws -> ExitCode {
        let source = URL(filePath: file).standardizedFileURL
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-inspect-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { console.report("\(folder.path) could not be removed: \(error)") }
        }
        do {
            let staged = try LegacyStaging(directory: folder.path).stage(source.path)
            let schemaName = name ?? source.deletingPathExtension().lastPathComponent
            let legacy = try CoreDataFile(staged, options: .init(schemaName: schemaName))
            if printsJSON {
                console.printLine(String(decoding: try legacy.report.json(), as: UTF8.self))
            } else {
                console.printLine(SchemaFile.yaml(for: legacy.schema))
                console.report(legacy.report.text.printable)
            }
            return .success
        } catch ImportError.sourceMissing {
            console.report("\(source.path): there is no such file")
            return .noInput
        } catch let error as ImportError {
            console.report("\(error)".printable)
            return .data
        }
    }
}
