import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceSQLite
import SluiceStore

/// `sluice schema fixture`: a store of some version with rows of every kind, to test migrations with.
struct SchemaFixture: SynchronousCommand {
    private static let version = Parameter<String>.positional("VERSION.yaml", .one, help: "The schema file of the version.")
    private static let output = Parameter<String>.option(
        "output", short: "o", value: "STORE", isRequired: true, help: "The store to make; it must not be there yet.")
    private static let rows = Parameter<Int>.option("rows", value: "N", default: "24", help: "Rows of each entity that has rows.")
    private static let seed = Parameter<Int>.option(
        "seed", value: "N", default: "1",
        help: "Another number gives other record names. The same number, schema and rows\ngive the same store on every machine.")

    static let declaration = Declaration(
        "fixture", "Make a store with representative rows.",
        discussion: """
            Every type of attribute with the edges of its range, none where it is optional, texts that trip programs up, values in files,
            relationships, and values that differ where they are unique. The store is read again before this ends well.
            """,
        parameters: [version.declaration, output.declaration, rows.declaration, seed.declaration],
        exitCodes: [
            (.data, "The schema allows no rows."), (.cannotCreate, "The store is there already, or cannot be made."),
            (.configuration, "The schema file has faults."),
        ])

    private static let rowCountMax = 100_000

    private let version: String
    private let output: String
    private let rows: Int
    private let seed: Int

    init(_ arguments: Arguments) {
        version = arguments.required(Self.version)
        output = arguments.required(Self.output)
        rows = arguments.required(Self.rows)
        seed = arguments.required(Self.seed)
    }

    func validate() throws(UsageError) {
        guard (1...Self.rowCountMax).contains(rows) else { throw UsageError("rows are from 1 to \(Self.rowCountMax)", argument: "\(rows)") }
        guard seed >= 0 else { throw UsageError("a seed is no negative number", argument: "\(seed)") }
    }

    func run(_ console: Console) throws -> ExitCode {
        let schema = try SchemaFile.load(URL(filePath: version).standardizedFileURL.path)
        guard !FileManager.default.fileExists(atPath: output) else { throw SchemaProblem("\(output) is there already", .cannotCreate) }
        do {
            var fixture = FixtureStore(schema, rowCount: rows, seed: UInt64(seed))
            for (entity, count) in try fixture.make(at: output).sorted(by: { $0.key < $1.key }) {
                console.printLine("\(entity.printable) \(count)")
            }
            return .success
        } catch let error as FixtureStore.Failure {
            throw SchemaProblem("\(error)", .data)
        } catch let error as StoreError {
            throw SchemaProblem("\(error)", .data)
        } catch let error as SQLiteError {
            throw SchemaProblem("\(error)", .cannotCreate)
        }
    }
}
