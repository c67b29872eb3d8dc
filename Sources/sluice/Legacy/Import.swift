import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceImport
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// `sluice import`: what a legacy file holds, as a report, a schema file or an export. The import itself is the coordinator's, on its first
/// run.
struct Import: SynchronousCommand {
    private static let file = Parameter<String>.positional(
        "FILE", .one, help: "A Core Data or SwiftData store, a store of ours, or an export.")
    private static let inspect = Flag("inspect", help: "Print a schema file made from the store, and its report on stderr.")
    private static let toJSON = Flag(
        "to-json",
        help: "Print every row with its values and references as JSON, which is a legacy source again. What a store of ours owes its service stays behind.")
    private static let json = Flag("json", help: "With --inspect: print the report as JSON instead of the schema file.")
    private static let jsonLines = Flag("jsonl", help: "With --to-json: a line for each row instead of one document.")
    private static let name = Parameter<String>.option(
        "schema-name", value: "NAME", help: "The schema's name. Default: the file's name without its ending.")
    private static let mapping = Parameter<String>.option(
        "mapping", value: "FILE", help: "A mapping file: other names, other types, what is left out.")
    private static let schemaOutput = Parameter<String>.option(
        "schema-out", value: "FILE", help: "With --inspect: write the schema file here, and print the report. It must not be there yet.")
    private static let output = Parameter<String>.option(
        "output", short: "o", value: "FILE", help: "With --to-json: the file to write; it must not be there yet. Default: standard output.")

    static let declaration = Declaration(
        "import", "Look into a legacy store, or export it.",
        discussion: "The file is copied to a temporary folder and opened there; it stays as it is.\nTo import it, name it in an account file and start the coordinator.",
        parameters: [
            file.declaration, inspect.declaration, toJSON.declaration, mapping.declaration, name.declaration, schemaOutput.declaration,
            json.declaration, jsonLines.declaration, output.declaration,
        ],
        exitCodes: [
            (.noInput, "There is no such file."), (.data, "The file is no store, or damaged."),
            (.configuration, "The mapping file cannot be used."), (.cannotCreate, "The file to write is there already, or cannot be written."),
        ])

    private let file: String
    private let isInspecting: Bool
    private let isExporting: Bool
    private let printsJSON: Bool
    private let writesLines: Bool
    private let name: String?
    private let mapping: String?
    private let schemaOutput: String?
    private let output: String?

    init(_ arguments: Arguments) {
        file = arguments.required(Self.file)
        isInspecting = arguments.isSet(Self.inspect)
        isExporting = arguments.isSet(Self.toJSON)
        printsJSON = arguments.isSet(Self.json)
        writesLines = arguments.isSet(Self.jsonLines)
        name = arguments.value(of: Self.name)
        mapping = arguments.value(of: Self.mapping)
        schemaOutput = arguments.value(of: Self.schemaOutput)
        output = arguments.value(of: Self.output)
    }

    func validate() throws(UsageError) {
        guard isInspecting != isExporting else {
            throw UsageError(
                "say --inspect or --to-json: a store is imported by the coordinator, from the account file's `legacy` section", argument: "import")
        }
        if isExporting, printsJSON || schemaOutput != nil { throw UsageError("--json and --schema-out go with --inspect", argument: "import") }
        if isInspecting, writesLines || output != nil { throw UsageError("--jsonl and --output go with --to-json", argument: "import") }
    }

    func run(_ console: Console) throws -> ExitCode {
        for path in [schemaOutput, output].compactMap({ $0 }) where FileManager.default.fileExists(atPath: path) {
            throw SchemaProblem("\(path) is there already; name another file, or move it away", .cannotCreate)
        }
        let source = URL(filePath: file).standardizedFileURL
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-inspect-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { console.report("\(folder.path) could not be removed: \(error)") }
        }
        do {
            let staged = try LegacyStaging(directory: folder.path).stage(source.path)
            var options = LegacyFileOptions(schemaName: name ?? source.deletingPathExtension().lastPathComponent)
            options.mapping = try mapping.map { try MappingFile.load($0) }
            let legacy = try LegacyKind.open(staged, options: options)
            if isExporting { try export(legacy, console) } else { try inspect(legacy, console) }
            return .success
        } catch let problem as SchemaProblem {
            throw problem
        } catch let error as ImportError {
            console.report("\(error)".printableLines)
            return error.exitCode
        } catch let error as ConfigurationError {
            console.report("\(error)".printableLines)
            return .configuration
        } catch let error where error is SQLiteError || error is StoreError || error is StoreHeader.Fault {
            console.report("\(source.path): \(error)".printable)
            return .data
        }
    }

    private func inspect(_ legacy: any LegacyFile, _ console: Console) throws {
        let schema = SchemaFile.yaml(for: legacy.schema)
        if let schemaOutput {
            do { try Data(schema.utf8).write(to: URL(filePath: schemaOutput), options: .withoutOverwriting) } catch {
                throw SchemaProblem("\(schemaOutput) cannot be written: \(error.localizedDescription)", .cannotCreate)
            }
        }
        if printsJSON {
            console.printLine(String(decoding: try legacy.report.json(), as: UTF8.self))
        } else if schemaOutput != nil {
            console.printLine(legacy.report.text.printableLines)
        } else {
            console.printLine(schema)
            console.report(legacy.report.text.printableLines)
        }
    }

    private func export(_ legacy: any LegacyFile, _ console: Console) throws {
        let export = try JSONExport(legacy, form: writesLines ? .lines : .document)
        if let output {
            try export.write(to: URL(filePath: output).standardizedFileURL.path)
        } else {
            try export.run { console.output.write(String(decoding: $0, as: UTF8.self)) }
        }
        let losses = legacy.report.losses
        if !losses.isEmpty { console.report((["not in the export:"] + losses.map { "  - \($0)" }).joined(separator: "\n").printableLines) }
    }
}

extension String {
    /// For a terminal, with its line breaks; names and texts of the store may hold anything.
    fileprivate var printableLines: String { split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n") }
}

extension ImportError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .sourceMissing: .noInput
        case .unusableMapping, .contradictoryMapping, .unusableIdentity: .configuration
        case .file(_, let path, _) where path.hasSuffix(JSONExport.partialSuffix): .cannotCreate
        default: .data
        }
    }
}
