import Foundation
import SluiceData

/// What a model's persisted properties hold, private ones included, in a form that two instances of one row share.
struct PropertyPicture: Equatable, CustomStringConvertible {
    let lines: [String]

    var description: String { lines.joined(separator: "\n") }

    init<Model: PersistentModel>(_ model: Model) throws {
        lines = try ModelShape.of(type(of: model)).properties.filter { !$0.isEphemeral }.map { property in
            let value = model[keyPath: property.keyPath] ?? "no value"
            return "\(property.name) = \(try property.attributeKind == nil ? Self.ends(value, property) : Self.text(value))"
        }
    }

    /// Coded values by their code, the others as they print.
    private static func text(_ value: Any) throws -> String {
        // Equal sets may be in different orders.
        if let set = value as? Set<AnyHashable> { return "\(set.map { "\($0)" }.sorted())" }
        guard let value = value as? any Encodable else { return "\(value)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The rows at the other end.
    private static func ends(_ value: Any, _ property: ModelProperty) -> String {
        let models = (value as? [any PersistentModel]) ?? (value as? any PersistentModel).map { [$0] } ?? []
        let identifiers = models.map { "\($0.persistentModelID)" }
        return "\(property.relationship?.isOrdered == true ? identifiers : identifiers.sorted())"
    }
}
