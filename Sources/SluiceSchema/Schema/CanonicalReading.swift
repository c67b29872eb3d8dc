// A helper reads the schema of a store each time it starts, and a decoder of Foundation's takes longer for it than SQLite for the rows. So the
// canonical encoding is read by hand where it says what this file knows. What it does not know (a key of a newer version, a default
// whose bits a JSON number cannot hold) is left to the decoder: both give the same value, which a test compares.

import FoundationEssentials
import SluiceJSON

extension Schema {
    /// nil where the decoder has to read it.
    init?(readingCanonical bytes: Data) {
        guard let value = try? JSONValue(parsing: bytes), let object = Fields(value, ["entities", "name", "version"]),
            let name = object.string("name"), let version = object.value("version").flatMap(SchemaVersion.init(canonical:)),
            let entities = object.list("entities", Entity.init(canonical:))
        else { return nil }
        self.init(name: name, version: version, sound: entities)
    }
}

/// The members of an object all of whose keys are known.
private struct Fields {
    private let object: JSONObject

    init?(_ value: JSONValue, _ known: [String]) {
        guard case .object(let object) = value, object.members.allSatisfy({ known.contains($0.key) }) else { return nil }
        self.object = object
    }

    func value(_ key: String) -> JSONValue? { object.member(key) }
    func has(_ key: String) -> Bool { object.member(key) != nil }
    func string(_ key: String) -> String? { if case .string(let text) = object.member(key) { text } else { nil } }
    func flag(_ key: String) -> Bool? { if case .boolean(let flag) = object.member(key) { flag } else { nil } }
    func number(_ key: String) -> Int? { if case .integer(let number) = object.member(key) { Int(exactly: number) } else { nil } }

    func list<Element>(_ key: String, _ body: (JSONValue) -> Element?) -> [Element]? {
        guard case .array(let values) = object.member(key) else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = body(value) else { return nil }
            elements.append(element)
        }
        return elements
    }

    func strings(_ key: String) -> [String]? { list(key, Self.text) }
    func groups(_ key: String) -> [[String]]? {
        list(key) { value in
            guard case .array(let values) = value else { return nil }
            let texts = values.compactMap(Self.text)
            return texts.count == values.count ? texts : nil
        }
    }

    private static func text(_ value: JSONValue) -> String? { if case .string(let text) = value { text } else { nil } }
}

extension SchemaVersion {
    fileprivate init?(canonical value: JSONValue) {
        guard let fields = Fields(value, ["major", "minor", "patch"]), let major = fields.number("major"), let minor = fields.number("minor"),
            let patch = fields.number("patch"), min(major, minor, patch) >= 0
        else { return nil }
        self.init(major, minor, patch)
    }
}

extension Entity {
    fileprivate init?(canonical value: JSONValue) {
        let keys = [
            "attributes", "identity", "indices", "isAbstract", "isLocalOnly", "name", "relationships", "superentity", "uniqueness", "wireName",
        ]
        guard let fields = Fields(value, keys), let name = fields.string("name"), let wireName = fields.string("wireName"),
            let isAbstract = fields.flag("isAbstract"), let isLocalOnly = fields.flag("isLocalOnly"),
            let attributes = fields.list("attributes", Attribute.init(canonical:)),
            let relationships = fields.list("relationships", Relationship.init(canonical:)), let uniqueness = fields.groups("uniqueness"),
            let indices = fields.groups("indices"), let identity = fields.strings("identity"),
            fields.string("superentity") != nil || !fields.has("superentity")
        else { return nil }
        self.init(
            name, wireName: wireName, superentity: fields.string("superentity"), isAbstract: isAbstract, attributes: attributes,
            relationships: relationships, uniqueness: uniqueness, indices: indices, identity: identity, isLocalOnly: isLocalOnly)
    }
}

extension Attribute {
    fileprivate init?(canonical value: JSONValue) {
        let keys = ["defaultValue", "hashModifier", "isExternal", "isOptional", "isPreservedOnDeletion", "name", "type", "wireName"]
        guard let fields = Fields(value, keys), let name = fields.string("name"), let wireName = fields.string("wireName"),
            let type = fields.string("type").flatMap(AttributeType.init(rawValue:)), let isOptional = fields.flag("isOptional"),
            let isExternal = fields.flag("isExternal"), let isPreserved = fields.flag("isPreservedOnDeletion"),
            fields.string("hashModifier") != nil || !fields.has("hashModifier")
        else { return nil }
        var defaultValue: PropertyValue?
        if let value = fields.value("defaultValue") {
            guard let known = PropertyValue(canonical: value) else { return nil }
            defaultValue = known
        }
        self.init(
            name, type, isOptional: isOptional, defaultValue: defaultValue, wireName: wireName, isExternal: isExternal,
            isPreservedOnDeletion: isPreserved, hashModifier: fields.string("hashModifier"))
    }
}

extension PropertyValue {
    /// nil for the kinds whose form is more than a text, a number or a flag.
    fileprivate init?(canonical value: JSONValue) {
        guard case .object(let object) = value, object.members.count == 1, let member = object.members.first else { return nil }
        switch (member.key, member.value) {
        case ("string", .string(let text)): self = .string(text)
        case ("integer", .integer(let number)): self = .integer(number)
        case ("boolean", .boolean(let flag)): self = .boolean(flag)
        default: return nil
        }
    }
}

extension Relationship {
    fileprivate init?(canonical value: JSONValue) {
        let keys = [
            "deleteRule", "destination", "inverse", "isOptional", "isOrdered", "isToMany", "maximumCount", "minimumCount", "name", "wireName",
        ]
        guard let fields = Fields(value, keys), let name = fields.string("name"), let wireName = fields.string("wireName"),
            let destination = fields.string("destination"), let isToMany = fields.flag("isToMany"), let isOptional = fields.flag("isOptional"),
            let isOrdered = fields.flag("isOrdered"), let rule = fields.string("deleteRule").flatMap(DeleteRule.init(rawValue:)),
            let least = fields.number("minimumCount"), let most = fields.number("maximumCount"),
            fields.string("inverse") != nil || !fields.has("inverse")
        else { return nil }
        self.init(
            name, to: destination, isToMany: isToMany, isOptional: isOptional, isOrdered: isOrdered, inverse: fields.string("inverse"),
            deleteRule: rule, minimumCount: least, maximumCount: most, wireName: wireName)
    }
}
