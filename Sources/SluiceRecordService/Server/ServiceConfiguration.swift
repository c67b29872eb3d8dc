package import SluiceRecords

/// What a service allows. Bounds of single requests and connections stand in the HTTP server's configuration.
package struct ServiceConfiguration: Sendable {
    /// What one request of a Sluice client may carry; advertised.
    package var limits = ServiceLimits(operations: 2_000, bytes: 8 << 20)
    /// Bytes that one account may hold.
    package var quota: Int64 = 10 << 30
    /// Bytes of one asset.
    package var assetBytes = 50 << 20
    /// How long a file may be without a record that refers to it.
    package var assetGrace: Duration = .seconds(86_400)
    /// Requests per second and token, for long and at once.
    package var rate = 500.0
    package var burst = 2_000.0
    /// The service's own address, for links in answers. Nil: links are relative.
    package var publicURL: String?

    package init() {}
}
