/// The values that a deleted row had in the attributes marked `.preserveValueOnDeletion`.
///
///     if let remoteID = deletion.tombstone[\.remoteID] as? String { … }
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
    /// A preserved property and its last value.
    public typealias Element = (attribute: any PartialKeyPath<Model> & Sendable, value: any Sendable)

    /// By the property's place in the class.
    private let values: [Int: any Sendable]

    /// - Parameter values: by the names of the properties; names that the class does not have are left out.
    public init(_ values: [String: any Sendable] = [:]) {
        let shape = ModelShape.of(Model.self)
        let known = values.compactMap { name, value in shape.property(named: name).map { ($0.index, value) } }
        self.values = Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    init(byIndex values: [Int: any Sendable]) { self.values = values }

    /// nil for an attribute that was not preserved, and where it had no value.
    public subscript(attribute: PartialKeyPath<Model>) -> (any Sendable)? {
        ModelShape.of(Model.self).property(for: attribute).flatMap { values[$0.index] }
    }

    /// In the order in which the class declares them.
    public func makeIterator() -> AnyIterator<Element> {
        let properties = ModelShape.of(Model.self).properties
        var indices = values.keys.sorted().makeIterator()
        return AnyIterator {
            guard let index = indices.next(), let value = values[index] else { return nil }
            return (properties[index].keyPath(in: Model.self), value)
        }
    }
}
