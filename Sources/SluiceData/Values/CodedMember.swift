package import Foundation

/// Under which keys the stored members of a codable value lie in its JSON. Usually under their own names; a type may say otherwise, and asking
/// SQLite for a key that does not exist would find nothing without a word. So a value that is stored is decoded and compared with its JSON.
///
/// No value is made up for it: a type's decoder may rely on what its encoder writes.
package enum CodedMember: Hashable, Sendable {
    /// The keys, the outermost first.
    case keys([String])
    /// A member is nil in this value, or equal to another: it says nothing about the keys. Another value may.
    case undetermined
    /// The JSON has the member in another form, or not at all. A predicate on it cannot be asked of the store.
    case unavailable

    /// - Parameters:
    ///   - names: stored properties, the outermost first: `["address", "street"]`.
    ///   - type: the type of the whole value.
    ///   - bytes: a value as it is stored.
    package static func find(_ names: [String], of type: any Decodable.Type, in bytes: Data) -> CodedMember {
        // Bytes that the type cannot read, or that are no JSON object, have no members.
        guard let value = try? decode(type, from: bytes), var object = json(bytes) else { return .unavailable }
        var current: Any = value
        var keys: [String] = []
        for name in names {
            guard let inside = unwrapped(current) else { return .undetermined }
            guard let child = Mirror(reflecting: inside).children.first(where: { $0.label == name }) else { return .unavailable }
            guard let members = object as? [String: Any] else { return .unavailable }
            guard let member = unwrapped(child.value) else { return .undetermined }
            let candidates = Self.keys(of: member, named: name, among: members)
            guard let key = candidates.first, let next = members[key] else { return .unavailable }
            guard candidates.count == 1 else { return .undetermined }
            keys.append(key)
            current = member
            object = next
        }
        return .keys(keys)
    }

    /// Its own name where the value there is the member's; otherwise every key with that value.
    private static func keys(of member: Any, named name: String, among members: [String: Any]) -> [String] {
        guard let member = member as? any Encodable, let bytes = try? CanonicalJSON.encode(member), let form = json(bytes) as? NSObject else {
            return []
        }
        let matching = members.filter { ($0.value as? NSObject)?.isEqual(form) == true }.map(\.key)
        return matching.contains(name) ? [name] : matching
    }

    private static func decode(_ type: (some Decodable).Type, from bytes: Data) throws -> Any { try CanonicalJSON.decode(type, from: bytes) }

    private static func json(_ bytes: Data) -> Any? { try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed) }

    private static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalType else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }
}
