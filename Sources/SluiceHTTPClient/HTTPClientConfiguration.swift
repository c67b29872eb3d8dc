/// What holds for all requests of one client. Certificates are always verified; there is no way to turn that off.
package struct HTTPClientConfiguration: Sendable {
    package var timeouts = HTTPTimeouts()
    package var proxy = HTTPProxy.none
    /// A PEM file of authorities that are trusted beside the system's.
    package var extraAuthoritiesFile: String?
    /// A larger answer ends with `tooLarge`; counted after decompression.
    package var responseBytesMaximum = 64 << 20
    /// How many requests are under way at once, and so how many connections are open. Further ones wait for their turn.
    package var transfersMaximum = 16
    package var userAgent = "sluice"

    package init() {}
}
