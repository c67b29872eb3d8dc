/// What holds for all requests of one client. Certificates are always verified; there is no way to turn that off.
package struct HTTPClientConfiguration: Sendable {
    package var timeouts = HTTPTimeouts()
    package var proxy = HTTPProxy.none
    /// A PEM file of authorities that are trusted beside the system's.
    package var extraAuthoritiesFile: String?
    /// SHA-256 sums of public keys (the DER form of SubjectPublicKeyInfo, RFC 7469) in base64. Where there are any, a peer has to show one of
    /// these keys, besides a certificate that is trusted.
    package var pinnedKeys: [String] = []
    /// What to show to a peer that asks who is there.
    package var clientCertificate: ClientCertificate?
    /// A larger answer ends with `tooLarge`; counted after decompression.
    package var responseBytesMaximum = 64 << 20
    /// How many requests to one peer are under way at once, and so how many connections to it are open; those that it may hold back
    /// (`HTTPClientRequest.mayBeHeld`) come on top. Further ones wait for their turn, and nobody waits for another peer.
    package var transfersMaximum = 64
    package var userAgent = "sluice"

    package init() {}

    /// A certificate and its key, in PEM files that are read for each new connection: what is replaced there counts from then on.
    package struct ClientCertificate: Hashable, Sendable {
        /// With the authorities between it and the peer's, if there are any.
        package let certificateFile: String
        /// Without a passphrase: nobody is there to type it.
        package let keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }
}
