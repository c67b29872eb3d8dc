import Foundation
import SluiceCommandLine
import SluiceCoordinator
import SluiceSchema

/// `sluice get`: one record.
struct Get: AsynchronousCommand {
    private static let name = Parameter<String>.positional("RECORD", .one, help: "The record's name.")
    private static let json = Flag("json", help: "Print the record as JSON.")

    static let declaration = Declaration(
        "get", "Print one record.",
        parameters: [
            name.declaration, AccountOption.account.declaration, AccountOption.config.declaration, AccountOption.noWait.declaration,
            json.declaration,
        ],
        exitCodes: [(.noInput, "There is no such record.")])

    private let option: AccountOption
    private let name: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        name = arguments.required(Self.name)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let row: RowMessage = try await option.client().get("/v1/records/\(name.pathComponent)")
        if printsJSON { try console.printJSON(row) } else { for line in row.lines { console.printLine(line) } }
        return .success
    }
}

extension String {
    /// As one component of a path on the control socket.
    var pathComponent: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? self }
}

extension RowMessage {
    /// The record for a person: its name, then a property a line.
    var lines: [String] {
        let values = attributes.mapValues(\.text).merging(references) { value, _ in value }
        let width = values.keys.map { DisplayWidth.of($0) }.max() ?? 0
        return ["\(entity) \(name)".printable]
            + values.sorted { $0.key < $1.key }.map { "  \(DisplayWidth.padded($0.key, to: width))  \($0.value)".printable }
    }
}
