package import Foundation

/// One answer.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: Data

    package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func metrics(_ metrics: MetricsText) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": MetricsText.contentType], body: Data(metrics.text.utf8))
    }

    /// One line of plain text, for answers that belong to no dialect.
    package static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data((text + "\n").utf8))
    }
}
