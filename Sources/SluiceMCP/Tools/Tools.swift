import FoundationEssentials
import SluiceReader
import SluiceJSON
import SluiceSchema

/// What a model can ask. All of it reads.
struct Tools {
    private let library: Library

    init(_ library: Library) { self.library = library }

    /// A question that cannot be answered, in words for the model: what is wrong, and what to ask instead.
    struct Fault: Error {
        let message: String
    }

    /// The answer to `tools/call`: what a tool found, or why it found nothing, which is an answer too.
    func call(_ parameters: JSONObject?) throws(ProtocolError) -> Data {
        guard case .string(let name) = parameters?["name"] else { throw ProtocolError(.invalidParameters, "name must be a string") }
        guard let tool = ToolName(rawValue: name) else {
            let known = ToolName.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProtocolError(.invalidParameters, "there is no tool \(name.prefix(100)); there are \(known)")
        }
        let arguments: JSONObject?
        switch parameters?["arguments"] {
        case nil: arguments = nil
        case .object(let object): arguments = object
        default: throw ProtocolError(.invalidParameters, "arguments must be an object")
        }
        do {
            return Self.content(try answer(of: tool, ToolArguments(arguments, of: tool)), isError: false)
        } catch let fault as Fault {
            return Self.content(Data(fault.message.utf8), isError: true)
        } catch let error as ReaderError {
            return Self.content(Data("\(ContainerStatus(error).word): \(error)".utf8), isError: true)
        } catch {
            throw ProtocolError(.internalError, "\(error)")
        }
    }

    private static func content(_ text: Data, isError: Bool) -> Data {
        var writer = JSONWriter(capacity: text.count + text.count / 8 + 64)
        writer.object { writer in
            writer.array("content") { writer in
                writer.object { writer in
                    writer.member("type", "text")
                    writer.member("text", String(decoding: text, as: UTF8.self))
                }
            }
            writer.member("isError", isError)
        }
        return writer.data
    }

    private func answer(of tool: ToolName, _ arguments: ToolArguments) throws -> Data {
        let questions = Questions(library)
        switch tool {
        case .listEntities: return try questions.entities()
        case .describeEntity: return try questions.description(of: arguments.text("entity", isRequired: true) ?? "")
        case .query: return try questions.rows(RowsWanted(arguments, rowsMax: library.rowsMax))
        case .get: return try questions.record(arguments.text("name", isRequired: true) ?? "", fields: arguments.texts("fields"))
        case .freshness: return questions.freshness()
        }
    }
}

/// The tools by name.
enum ToolName: String, CaseIterable {
    case listEntities = "list_entities"
    case describeEntity = "describe_entity"
    case query
    case get
    case freshness
}

/// The arguments of one call, checked.
struct ToolArguments {
    private let object: JSONObject?

    init(_ object: JSONObject?, of tool: ToolName) throws {
        let known = tool.parameters.map(\.name)
        if let other = object?.members.first(where: { !known.contains($0.key) }) {
            throw Tools.Fault(message: "\(tool.rawValue) has no argument \(other.key.prefix(100)); it has \(known.joined(separator: ", "))")
        }
        self.object = object
    }

    func text(_ name: String, isRequired: Bool = false) throws -> String? {
        switch object?[name] {
        case .string(let text): return text
        case nil where !isRequired: return nil
        case nil: throw Tools.Fault(message: "\(name) is missing")
        default: throw Tools.Fault(message: "\(name) must be a string")
        }
    }

    func texts(_ name: String) throws -> [String]? {
        guard let value = object?[name] else { return nil }
        guard case .array(let elements) = value else { throw Tools.Fault(message: "\(name) must be an array of strings") }
        return try elements.map { element in
            guard case .string(let text) = element else { throw Tools.Fault(message: "\(name) must be an array of strings") }
            return text
        }
    }

    func number(_ name: String) throws -> Int? {
        switch object?[name] {
        case nil: return nil
        case .integer(let number): return Int(clamping: number)
        case .double(let number) where number.rounded() == number && number.magnitude < 1e15: return Int(number)
        default: throw Tools.Fault(message: "\(name) must be a whole number")
        }
    }
}
