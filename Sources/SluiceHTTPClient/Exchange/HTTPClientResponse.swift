package import Foundation

/// A complete answer, whatever its status: 4xx and 5xx are answers, not errors.
package struct HTTPClientResponse: Sendable {
    package let status: Int
    /// In the order they came.
    package let headers: [HTTPHeader]
    /// Decompressed.
    package let body: Data

    package init(status: Int, headers: [HTTPHeader], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
