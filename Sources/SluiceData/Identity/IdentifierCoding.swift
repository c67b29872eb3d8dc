// The encoded form has the members that SwiftData's has, the URI among them: `x-coredata://<store>/<Entity>/p<row>`, and for a model that
// was not saved yet `x-coredata:///<Entity>/t<run>-<number>`. A row of a custom store is `c<key>`, percent-encoded.

import Foundation

extension PersistentIdentifier: Codable {
    private enum FormKey: CodingKey { case implementation }

    private struct Implementation: Codable {
        var entityName: String
        /// Ours: the root of the hierarchy, where it is another entity.
        var rootEntityName: String?
        var isTemporary: Bool
        var primaryKey: String
        var storeIdentifier: String?
        var uriRepresentation: String
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        let form = try container.decode(Implementation.self, forKey: .implementation)
        guard !form.entityName.isEmpty, let key = Key(encoded: form.primaryKey) else {
            throw DecodingError.dataCorruptedError(
                forKey: .implementation, in: container,
                debugDescription:
                    "\(form.primaryKey) of \(form.entityName) is no key of a row: p, t or c and what belongs to it was expected")
        }
        self.init(
            IdentifierOrigin(storeIdentifier: form.storeIdentifier, entityName: form.entityName, rootEntityName: form.rootEntityName), key)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        let form = Implementation(
            entityName: entityName, rootEntityName: rootEntityName == entityName ? nil : rootEntityName, isTemporary: isTemporary,
            primaryKey: key.encoded, storeIdentifier: storeIdentifier, uriRepresentation: uriRepresentation)
        try container.encode(form, forKey: .implementation)
    }

    /// The form that Core Data's tools show.
    package var uriRepresentation: String {
        "x-coredata://\(Key.escaped(storeIdentifier ?? ""))/\(Key.escaped(entityName))/\(key.encoded)"
    }
}

extension PersistentIdentifier.Key {
    var encoded: String {
        switch self {
        case .row(let row): "p\(row)"
        case .temporary(let run, let number): "t\(String(run, radix: 16))-\(number)"
        case .custom(let text): "c\(Self.escaped(text))"
        }
    }

    init?(encoded: String) {
        let text = encoded.dropFirst()
        switch encoded.first {
        case "p":
            guard let row = Int64(text) else { return nil }
            self = .row(row)
        case "t":
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let run = UInt64(parts[0], radix: 16), let number = UInt64(parts[1]) else { return nil }
            self = .temporary(run: run, number: number)
        case "c":
            guard let key = String(text).removingPercentEncoding else { return nil }
            self = .custom(key)
        default: return nil
        }
    }

    static func escaped(_ text: String) -> String {
        // Text that has no percent-encoding does not occur in Swift, whose strings are always valid Unicode.
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? text
    }
}
