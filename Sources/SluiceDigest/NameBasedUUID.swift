package import Foundation

extension UUID {
    /// UUIDv5: the same for the same name in the same namespace, on every device (RFC 9562, section 5.5).
    package init(namespace: UUID, name: some DataProtocol) {
        let prefix = withUnsafeBytes(of: namespace.uuid) { Data($0) }
        var bytes = Digest.sha1(prefix + name).prefix(16)
        bytes[bytes.startIndex + 6] = bytes[bytes.startIndex + 6] & 0x0F | 0x50
        bytes[bytes.startIndex + 8] = bytes[bytes.startIndex + 8] & 0x3F | 0x80
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
