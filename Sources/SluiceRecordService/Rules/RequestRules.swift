package import SluiceRecords

/// What the service accepts as names and values, checked before anything is written.
package enum RequestRules {
    /// Why a record may not be written as it is; nil where it may.
    /// - Parameter keepsAssets: whether the service has a place for files.
    package static func refusal(of record: Record, keepsAssets: Bool) -> ServerError? {
        guard isRecordName(record.recordName) else {
            return ServerError(.badRequest, "a record name is 1 to \(ServiceLimits.recordNameLength) ASCII characters and does not begin with '_'")
        }
        if let type = record.recordType, !isName(type) {
            return ServerError(.badRequest, "a record type is 1 to 255 characters")
        }
        for (name, field) in record.fields {
            guard isName(name) else { return ServerError(.badRequest, "a field name is 1 to 255 characters") }
            switch field.value {
            case .asset where !keepsAssets, .assetList where !keepsAssets:
                return ServerError(.badRequest, "assets are not supported by this service; send BYTES", uuid: nil)
            case .other(let type, _):
                return ServerError(.badRequest, "invalid attempt to set value type \(type)")
            default: continue
            }
        }
        return nil
    }

    package static func isRecordName(_ name: String) -> Bool {
        (1...ServiceLimits.recordNameLength).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "_")
            && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// A zone's name; `_defaultZone` is there already and is made by nobody.
    package static func isCustomZoneName(_ name: String) -> Bool { isRecordName(name) }

    private static func isName(_ name: String) -> Bool { (1...255).contains(name.utf8.count) && !name.utf8.contains(0) }
}
