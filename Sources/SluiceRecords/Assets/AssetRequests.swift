// The bodies of `assets/upload` and `assets/rereference`, and what an upload answers.

/// One place in a record for which a file is to be uploaded, or whose file is to be used again.
package struct AssetPlace: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Nil: the service makes a name up.
    package var recordName: String?
    package var recordType: String?
    package var fieldName: String

    package init(recordName: String?, recordType: String?, fieldName: String) {
        self.recordName = recordName
        self.recordType = recordType
        self.fieldName = fieldName
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("recordName", recordName)
        writer.member("recordType", recordType)
        writer.member("fieldName", fieldName)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let name = try object.string("recordName")
        self.init(
            recordName: name?.isEmpty == true ? nil : name, recordType: try object.string("recordType"),
            fieldName: try object.requiredString("fieldName"))
    }
}

/// The body of `assets/upload`.
package struct AssetUploadRequest: Hashable, Sendable, WireEncodable, WireDecodable {
    package var places: [AssetPlace]
    package var zoneID: ZoneID?

    package init(_ places: [AssetPlace], zoneID: ZoneID?) {
        self.places = places
        self.zoneID = zoneID
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        try writer.member("tokens", places)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        places = try object.requiredList("tokens") { json throws(WireError) in try AssetPlace(json: json) }
        zoneID = try object.zoneID()
    }
}

/// The answer of `assets/upload`: one URL per place, in their order.
package struct AssetUploadResponse: Hashable, Sendable, WireEncodable, WireDecodable {
    package struct Element: Hashable, Sendable, WireEncodable, WireDecodable {
        package var recordName: String
        package var fieldName: String
        /// Takes the bytes as the body of a POST, for fifteen minutes.
        package var url: String

        package init(recordName: String, fieldName: String, url: String) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.url = url
        }

        package func write(to writer: inout JSONWriter) throws(WireError) {
            writer.beginObject()
            writer.member("recordName", recordName)
            writer.member("fieldName", fieldName)
            writer.member("url", url)
            writer.endObject()
        }

        package init(json: JSONValue) throws(WireError) {
            let object = try json.asObject()
            self.init(
                recordName: try object.requiredString("recordName"), fieldName: try object.requiredString("fieldName"),
                url: try object.requiredString("url"))
        }
    }

    package var tokens: [Element]

    package init(tokens: [Element]) { self.tokens = tokens }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("tokens", tokens)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        tokens = try json.asObject().requiredList("tokens") { json throws(WireError) in try Element(json: json) }
    }
}

/// The answer to the bytes: what goes into the record's field.
package struct AssetReceipt: Hashable, Sendable, WireEncodable, WireDecodable {
    package var singleFile: Asset

    package init(singleFile: Asset) { self.singleFile = singleFile }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("singleFile", singleFile)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        singleFile = try within("singleFile") { () throws(WireError) in try Asset(json: .object(try object.requiredObject("singleFile"))) }
    }
}

/// The body of `assets/rereference`.
package struct RereferenceRequest: Hashable, Sendable, WireEncodable, WireDecodable {
    package var places: [AssetPlace]
    package var zoneID: ZoneID?

    package init(_ places: [AssetPlace], zoneID: ZoneID?) {
        self.places = places
        self.zoneID = zoneID
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        try writer.member("assets", places)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        places = try object.requiredList("assets") { json throws(WireError) in try AssetPlace(json: json) }
        zoneID = try object.zoneID()
    }
}

/// The answer of `assets/rereference`: in the order of the places, the file as it can be written to other records, or why not.
package struct RereferenceResponse: Hashable, Sendable, WireEncodable, WireDecodable {
    package enum Element: Hashable, Sendable, WireEncodable, WireDecodable {
        case asset(Asset)
        case failure(recordName: String, ServerError)

        package func write(to writer: inout JSONWriter) throws(WireError) {
            switch self {
            case .asset(let asset): try asset.write(to: &writer)
            case .failure(let recordName, let error):
                writer.beginObject()
                writer.member("recordName", recordName)
                try error.writeMembers(to: &writer)
                writer.endObject()
            }
        }

        package init(json: JSONValue) throws(WireError) {
            let object = try json.asObject()
            if let error = try ServerError(object) {
                self = .failure(recordName: try object.string("recordName") ?? "", error)
            } else {
                self = .asset(try Asset(json: json))
            }
        }
    }

    package var assets: [Element]

    package init(assets: [Element]) { self.assets = assets }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("assets", assets)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        assets = try json.asObject().requiredList("assets") { json throws(WireError) in try Element(json: json) }
    }
}
