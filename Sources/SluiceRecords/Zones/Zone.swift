/// Why a zone went. A service without our extensions gives none, which counts as `deleted`.
package enum ZoneDeletionReason: String, CaseIterable, Hashable, Sendable {
    /// By a client of the user.
    case deleted
    /// By the user, who wants the data gone everywhere.
    case purged
    /// The user reset encrypted data: devices upload theirs again.
    case encryptedDataReset
}

/// A zone as the service describes it.
package struct Zone: Hashable, Sendable {
    package var zoneID: ZoneID
    package var syncToken: String?
    /// Whether a batch may be all-or-nothing here: true for custom zones.
    package var isAtomic: Bool
    package var isDeleted: Bool
    package var deletionReason: ZoneDeletionReason?

    package init(
        _ zoneID: ZoneID, syncToken: String? = nil, isDeleted: Bool = false, deletionReason: ZoneDeletionReason? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.isAtomic = !zoneID.isDefault
        self.isDeleted = isDeleted
        self.deletionReason = deletionReason
    }
}

extension Zone: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        if isDeleted {
            writer.member("deleted", true)
            writer.member("deletionReason", deletionReason?.rawValue)
        } else {
            writer.member("syncToken", syncToken)
            writer.member("atomic", isAtomic)
        }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            try ZoneID(json: .object(try object.requiredObject("zoneID"))),
            syncToken: try object.string("syncToken"),
            isDeleted: try object.boolean("deleted") ?? false,
            // A reason of a newer service counts as none.
            deletionReason: try object.string("deletionReason").flatMap(ZoneDeletionReason.init(rawValue:)))
        isAtomic = try object.boolean("atomic") ?? !zoneID.isDefault
    }
}

/// One zone of an answer: the zone, or why not.
package enum ZoneResult: Hashable, Sendable {
    case zone(Zone)
    case failure(ZoneID, ServerError)
}

extension ZoneResult: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        switch self {
        case .zone(let zone): try zone.write(to: &writer)
        case .failure(let zoneID, let error):
            writer.beginObject()
            try writer.member("zoneID", zoneID)
            try error.writeMembers(to: &writer)
            writer.endObject()
        }
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        if let error = try ServerError(object) {
            self = .failure(try ZoneID(json: .object(try object.requiredObject("zoneID"))), error)
        } else {
            self = .zone(try Zone(json: json))
        }
    }
}
