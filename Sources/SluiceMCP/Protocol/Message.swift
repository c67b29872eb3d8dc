import SluiceJSON

/// One JSON-RPC message from the client.
struct Message {
    enum Identity {
        case number(Int64)
        case text(String)
    }

    /// nil for a notification, which is not answered.
    let id: Identity?
    let method: String
    let parameters: JSONObject?

    /// - Throws: `ProtocolError` for what is no request: an answer of the client's is one of those.
    init(_ value: JSONValue) throws(ProtocolError) {
        guard case .object(let object) = value else { throw ProtocolError(.invalidRequest, "a message is an object") }
        guard case .string("2.0") = object.member("jsonrpc") else { throw ProtocolError(.invalidRequest, "jsonrpc must be \"2.0\"") }
        switch object.member("id") {
        case nil: id = nil
        case .integer(let number): id = .number(number)
        case .string(let text): id = .text(text)
        default: throw ProtocolError(.invalidRequest, "id must be a string or a whole number")
        }
        guard case .string(let method) = object.member("method") else { throw ProtocolError(.invalidRequest, "method must be a string", id: id) }
        self.method = method
        switch object.member("params") {
        case nil: parameters = nil
        case .object(let members): parameters = members
        default: throw ProtocolError(.invalidRequest, "params must be an object", id: id)
        }
    }

    /// Whether this answers a request, or is meant to: this server asks nothing, so it is passed over.
    static func isAnswer(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value, object.member("method") == nil else { return false }
        return object.member("result") != nil || object.member("error") != nil
    }
}

/// Why a request has no result.
struct ProtocolError: Error {
    enum Code: Int64 {
        case parseError = -32_700
        case invalidRequest = -32_600
        case methodNotFound = -32_601
        case invalidParameters = -32_602
        case internalError = -32_603
        /// The container cannot be read.
        case unavailable = -32_000
        /// Model Context Protocol's own.
        case resourceNotFound = -32_002
    }

    let code: Code
    let message: String
    var id: Message.Identity?

    init(_ code: Code, _ message: String, id: Message.Identity? = nil) {
        self.code = code
        self.message = message
        self.id = id
    }
}

extension JSONWriter {
    mutating func identity(_ id: Message.Identity?) {
        key("id")
        switch id {
        case nil: null()
        case .number(let number): integer(number)
        case .text(let text): string(text)
        }
    }

    /// An object as the value of a key, or as an element.
    mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) throws -> Void) rethrows {
        if let name { key(name) }
        beginObject()
        try body(&self)
        endObject()
    }

    mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) throws -> Void) rethrows {
        if let name { key(name) }
        beginArray()
        try body(&self)
        endArray()
    }
}
