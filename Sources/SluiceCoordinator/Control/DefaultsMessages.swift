package import SluiceReader

/// Shared defaults of group containers.
package struct DefaultsResponse: Codable, Sendable {
    package struct Group: Codable, Sendable {
        package var group: String
        package var values: [String: SharedValue]

        package init(group: String, values: [String: SharedValue]) {
            self.group = group
            self.values = values
        }
    }

    package var groups: [Group]
}

/// The synced key-value store.
package struct KeyValuesResponse: Codable, Sendable {
    package var values: [String: SharedValue]
}

/// Sets one value, or removes it.
package struct SetDefaultRequest: Codable, Sendable {
    package var key: String
    /// nil removes.
    package var value: SharedValue?
    /// nil means all group containers.
    package var group: String?

    package init(key: String, value: SharedValue?, group: String? = nil) {
        self.key = key
        self.value = value
        self.group = group
    }
}

package struct SetDefaultResponse: Codable, Sendable {
    package var key: String
}
