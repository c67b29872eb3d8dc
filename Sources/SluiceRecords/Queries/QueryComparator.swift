/// How a filter compares a field with its value. Names are the wire's.
package enum QueryComparator: String, Hashable, Sendable, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    /// Within `distance` metres.
    case near = "NEAR"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case `in` = "IN"
    case notIn = "NOT_IN"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    /// Another name for `listContainsAny`, which some clients send.
    case containsAny = "CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// The comparator that this one denies.
    package var denied: QueryComparator? {
        switch self {
        case .notEquals: .equals
        case .notIn: .in
        case .notListContains: .listContains
        case .notListContainsAny: .listContainsAny
        case .notListContainsAll: .listContainsAll
        case .notBeginsWith: .beginsWith
        case .notListMemberBeginsWith: .listMemberBeginsWith
        default: nil
        }
    }
}

/// What of a record besides its fields can be asked for.
package enum SystemField: String, Hashable, Sendable, CaseIterable {
    case recordName
    case share
    case parent
    case createdUserRecordName
    case createdTimestamp
    case modifiedTimestamp
    case modifiedUserRecordName

    /// - Parameter name: the dialect's name or one of those that its own servers use inside.
    package init?(wireName name: String) {
        switch name {
        case "___recordID", "___recordId": self = .recordName
        case "___share": self = .share
        case "___parent": self = .parent
        case "___createdBy": self = .createdUserRecordName
        case "___createTime": self = .createdTimestamp
        case "___modTime": self = .modifiedTimestamp
        case "___modifiedBy": self = .modifiedUserRecordName
        default: self.init(rawValue: name)
        }
    }
}

/// What a filter or a sort looks at.
package enum QueryKey: Hashable, Sendable {
    case field(String)
    case system(SystemField)

    /// For error texts; names are no values.
    package var name: String {
        switch self {
        case .field(let name): name
        case .system(let field): field.rawValue
        }
    }
}

extension QueryKey {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .field(let name): writer.member("fieldName", name)
        case .system(let field): writer.member("systemFieldName", field.rawValue)
        }
    }

    /// A system field may also stand under `fieldName`, then by its inner name only: an app's own field may be called `parent`.
    init(_ object: JSONObject) throws(WireError) {
        if let name = try object.string("systemFieldName") {
            guard let field = SystemField(wireName: name) else {
                let known = SystemField.allCases.map(\.rawValue).joined(separator: ", ")
                throw WireError(.unexpected, "one of \(known) was expected", path: "systemFieldName")
            }
            self = .system(field)
            return
        }
        let name = try object.requiredString("fieldName")
        guard !name.isEmpty else { throw WireError(.unexpected, "a name was expected", path: "fieldName") }
        guard name.hasPrefix("___") else {
            self = .field(name)
            return
        }
        guard let field = SystemField(wireName: name) else {
            throw WireError(.unexpected, "there is no system field of this name", path: "fieldName")
        }
        self = .system(field)
    }
}
