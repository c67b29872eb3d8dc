package import Foundation

/// A complete answer, whatever its status: 4xx and 5xx are answers, not errors.
package struct HTTPClientResponse: Sendable {
    package let status: Int
    /// What the two ends speak: `1.1`, or `2`.
    package let version: String
    /// In the order they came.
    package let headers: [HTTPHeader]
    /// Decompressed.
    package let body: Data

    package init(status: Int, version: String = "1.1", headers: [HTTPHeader], body: Data) {
        self.status = status
        self.version = version
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
