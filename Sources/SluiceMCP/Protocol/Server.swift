// One line in, at most one line out, in the order of the lines: a request is answered before the next is read, so there is never one left to cancel.
// A line that means nothing is answered with an error and the server goes on.

import FoundationEssentials
import SluiceCommandLine
import SluiceJSON

/// A Model Context Protocol server without its streams.
struct Server {
    /// Revisions of the protocol that this server speaks, the newest last.
    static let versions = ["2024-11-05", "2025-03-26", "2025-06-18"]
    /// Batches ended with this one.
    private static let firstWithoutBatches = "2025-06-18"
    private static let batchCountMax = 100

    private let library: Library
    /// What was agreed on; nil until the client has said who it is.
    private(set) var version: String?

    init(_ library: Library) { self.library = library }

    /// nil where the line asks for no answer.
    mutating func reply(to line: LineReader.Line) -> Data? {
        do throws(ProtocolError) {
            guard case .text(let bytes) = line else {
                throw ProtocolError(.invalidRequest, "a line has more than \(LineReader.byteCountMax) bytes")
            }
            // What stands between two messages.
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
            let value: JSONValue
            do { value = try JSONValue(parsing: bytes) } catch { throw ProtocolError(.parseError, "\(error)") }
            guard case .array(let batch) = value else { return reply(to: value) }
            return try reply(to: batch)
        } catch {
            return Self.failure(error)
        }
    }

    private mutating func reply(to batch: [JSONValue]) throws(ProtocolError) -> Data? {
        if let version, version >= Self.firstWithoutBatches { throw ProtocolError(.invalidRequest, "revision \(version) has no batches") }
        guard !batch.isEmpty, batch.count <= Self.batchCountMax else {
            throw ProtocolError(.invalidRequest, "a batch has 1 to \(Self.batchCountMax) messages")
        }
        let replies = batch.compactMap { reply(to: $0) }
        guard !replies.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.array { writer in for reply in replies { writer.encoded(reply) } }
        return writer.data
    }

    private mutating func reply(to value: JSONValue) -> Data? {
        if Message.isAnswer(value) { return nil }
        do throws(ProtocolError) {
            let message = try Message(value)
            // A notification tells of the client's state, or cancels what is done already.
            guard message.id != nil else { return nil }
            do throws(ProtocolError) {
                let result = try result(of: message)
                var writer = JSONWriter(capacity: result.count + 64)
                writer.object { writer in
                    writer.member("jsonrpc", "2.0")
                    writer.identity(message.id)
                    writer.key("result")
                    writer.encoded(result)
                }
                return writer.data
            } catch { throw ProtocolError(error.code, error.message, id: message.id) }
        } catch {
            return Self.failure(error)
        }
    }

    private static func failure(_ error: ProtocolError) -> Data {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.identity(error.id)
            writer.object("error") { writer in
                writer.member("code", error.code.rawValue)
                writer.member("message", error.message)
            }
        }
        return writer.data
    }

    // MARK: Methods

    private mutating func result(of message: Message) throws(ProtocolError) -> Data {
        let parameters = message.parameters
        switch message.method {
        case "initialize": return try initialize(parameters)
        case "ping": return Data("{}".utf8)
        default: break
        }
        guard Self.methods.contains(message.method) else {
            throw ProtocolError(.methodNotFound, "this server has no method \(message.method.prefix(100))")
        }
        guard version != nil else { throw ProtocolError(.invalidRequest, "the first request is initialize") }
        let resources = Resources(library)
        switch message.method {
        case "tools/list":
            try refuseCursor(parameters)
            return Tools.list
        case "tools/call": return try Tools(library).call(parameters)
        case "resources/list":
            try refuseCursor(parameters)
            return try resources.list()
        case "resources/templates/list":
            try refuseCursor(parameters)
            return resources.templates
        default: return try resources.read(parameters)
        }
    }

    private static let methods: Set<String> = ["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"]

    /// Every list fits one page, so no cursor was ever given out.
    private func refuseCursor(_ parameters: JSONObject?) throws(ProtocolError) {
        guard parameters?["cursor"] == nil else { throw ProtocolError(.invalidParameters, "no cursor of this server's") }
    }

    private mutating func initialize(_ parameters: JSONObject?) throws(ProtocolError) -> Data {
        guard version == nil else { throw ProtocolError(.invalidRequest, "this session is initialized") }
        guard case .string(let wanted) = parameters?["protocolVersion"] else {
            throw ProtocolError(.invalidParameters, "protocolVersion must be a string")
        }
        // A revision that is not known is answered with the newest that is; the client may then leave.
        let agreed = Self.versions.contains(wanted) ? wanted : Self.versions[Self.versions.count - 1]
        version = agreed
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("protocolVersion", agreed)
            writer.object("capabilities") { writer in
                writer.object("tools") { $0.member("listChanged", false) }
                writer.object("resources") { writer in
                    writer.member("subscribe", false)
                    writer.member("listChanged", false)
                }
            }
            writer.object("serverInfo") { writer in
                writer.member("name", "sluice-mcp")
                writer.member("title", "Sluice group container \(library.name)")
                writer.member("version", Release.version)
            }
            writer.member(
                "instructions",
                "Synced records of the group \(library.name), to read only. Begin with list_entities, then describe_entity; query takes a filter such as "
                    + "isDone == false && title.contains(\"milk\"). freshness says how old the data is.")
        }
        return writer.data
    }
}
