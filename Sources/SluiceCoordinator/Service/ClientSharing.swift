import Foundation
import SluiceHTTPClient

extension HTTPClientConfiguration {
    /// What makes two configurations the same way out.
    struct Key: Hashable {
        fileprivate let parts: [String]
    }

    var key: Key {
        let proxyText =
            switch proxy {
            case .none: "none"
            case .url(let address): "url \(address)"
            case .environment(let variables): "environment \(variables.sorted { $0.key < $1.key })"
            }
        let files = [extraAuthoritiesFile, clientCertificate?.certificateFile, clientCertificate?.keyFile].map { $0 ?? "" }
        return Key(parts: files + [pinnedKeys.joined(separator: " "), proxyText, "\(timeouts)", "\(responseBytesMaximum)", "\(transfersMaximum)"])
    }
}
