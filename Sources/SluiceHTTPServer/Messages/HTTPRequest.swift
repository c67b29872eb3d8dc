package import Foundation

/// One request, received in full.
package struct HTTPRequest: Sendable {
    package let method: String
    /// The request target as it was received, query included.
    package let target: String
    /// The part before the query, percent escapes decoded.
    package let path: String
    /// The parts of the query in their order, decoded.
    package let query: [(name: String, value: String)]
    package let headers: HTTPHeaders
    package let body: Data
    /// The body as it came, where a coding was undone; nil where it is the same, or went to a sink.
    package let encodedBody: Data?
    /// What took the body, where `ServerConfiguration.bodySink` gave something; `body` is empty then.
    package let sink: (any BodySink)?

    package init(method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), encodedBody: Data? = nil, sink: (any BodySink)? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.encodedBody = encodedBody
        self.sink = sink
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        // A path that cannot be decoded names nothing that is served; kept as it is, it leads to 404.
        path = Self.unescaped(String(target[..<(mark ?? target.endIndex)]))
        query = mark.map { Self.queryItems(target[target.utf8.index(after: $0)...]) } ?? []
    }

    /// The first value of that name in the query.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    private static func queryItems(_ text: Substring) -> [(name: String, value: String)] {
        text.split(separator: "&").map { part in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }

    /// As forms encode it: a bare `+` is a space.
    private static func decoded(_ text: Substring) -> String {
        unescaped(text.utf8.contains(UInt8(ascii: "+")) ? String(text.map { $0 == "+" ? " " : $0 }) : String(text))
    }

    /// Most texts have no escapes, and Foundation takes long to find that out.
    private static func unescaped(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding ?? text : text
    }
}
