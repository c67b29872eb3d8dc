/// The names of the HTTP headers that Sluice adds to the dialect, and of Apple's that both ends use.
package enum SluiceHeader {
    /// In a request: its sender understands the extensions; the value is its name and version.
    package static let client = "Sluice-Client"
    /// In `records/modify`: the operation id, under which the service keeps the outcome.
    package static let idempotencyKey = "Idempotency-Key"
    /// In an answer: this is the kept outcome of an earlier request; nothing was done now.
    package static let replayed = "Sluice-Replayed"

    /// In an answer that names another user token for the next call: the seconds for which the one that came is good beside it. Without it, one
    /// request at a time.
    package static let tokenGrace = "Sluice-Token-Grace"

    /// Both carry the user token for the next call.
    package static let webAuthToken = "X-Apple-CloudKit-Web-Auth-Token"
    package static let session = "X-Apple-CloudKit-Session"
    package static let requestUUID = "X-Apple-Request-UUID"

    /// What a request that a server-to-server key signed carries; `RequestSignature` says what is signed.
    package static let requestKeyID = "X-Apple-CloudKit-Request-KeyID"
    package static let requestDate = "X-Apple-CloudKit-Request-ISO8601Date"
    package static let requestSignature = "X-Apple-CloudKit-Request-SignatureV1"
}
