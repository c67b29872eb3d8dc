// Foundation has no value transformers on this platform.

package import Foundation
import Synchronization

/// The name a value transformer is registered under.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name itself.
    public let rawValue: String

    /// A name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The transformer that archives values; see `NSSecureUnarchiveFromDataTransformer`.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}

/// Gives `ValueTransformer(forName:)` an instance that exists already, which an initialiser of the class itself cannot.
public protocol _RegisteredTransformer {}

extension _RegisteredTransformer {
    /// The transformer registered under that name; nil where there is none, or none of this class.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = ValueTransformer.valueTransformer(forName: name) as? Self else { return nil }
        self = transformer
    }
}

/// Turns a value into another and, where it can, back. For `@Attribute(.transformable(by:))` a subclass makes `Data` of the property's
/// value.
///
///     final class ColourTransformer: ValueTransformer {
///         override func transformedValue(_ value: Any?) -> Any? { (value as? Colour).map { Data([$0.red, $0.green, $0.blue]) } }
///         override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap(Colour.init(bytes:)) }
///     }
///
/// One instance serves all threads at once: a subclass has no state that changes.
open class ValueTransformer: _RegisteredTransformer, @unchecked Sendable {
    // `@unchecked Sendable`, for the sake of subclasses: this class has no stored property, and instances are shared as documented above.

    /// Transformers are made without arguments.
    public required init() {}

    /// The class that `transformedValue` returns an instance of; nil where that is no class.
    open class func transformedValueClass() -> AnyClass? { nil }

    /// Whether what was transformed can be had back; a stored attribute needs that.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The transformed value; this class returns the value as it is.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that `transformedValue` was given. This class asks `transformedValue`, as for a transformation that is its own inverse.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    // MARK: Names

    private static let registered = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    /// Makes a transformer known, or removes the one of that name. Programs do it at start, before they open a container.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        registered.withLock { $0[name] = transformer }
    }

    /// The names that transformers are registered under.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// The transformer of that name. One that was not registered is nil, unless the name is that of Sluice's own.
    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        if let known = registered.withLock({ $0[name] }) { return known }
        return name == .secureUnarchiveFromDataTransformerName ? NSSecureUnarchiveFromDataTransformer() : nil
    }

    /// The name for a transformer's class. A class that was registered under no name is registered under its own.
    package static func registeredName(for type: ValueTransformer.Type) -> String {
        let own = NSValueTransformerName(String(describing: type))
        // Made outside the lock: its initialiser may register others.
        let transformer = type.init()
        return registered.withLock { transformers in
            let names = transformers.filter { Swift.type(of: $0.value) == type }.keys.map(\.rawValue).sorted()
            // The class's own name wins, so that the schema does not depend on what else was registered.
            if let name = names.first(where: { $0 == own.rawValue }) ?? names.first { return name }
            transformers[own] = transformer
            return own.rawValue
        }
    }
}

// Transformers are written for either way, whatever class they come from, and refuse what is meant for the other. The way that the class is
// named for comes first; the other one counts only where values are no bytes themselves, so that which way it was is never in doubt.
extension ValueTransformer {
    /// What a store keeps of a value; nil where the transformer makes no bytes of it.
    package func storedBytes(of value: Any?) -> Data? {
        if let bytes = transformed(value, forwards: !isUnarchiver) as? Data { return bytes }
        return value is Data ? nil : transformed(value, forwards: isUnarchiver) as? Data
    }

    /// The value that a store keeps as those bytes; nil where the transformer makes none of them.
    package func value(ofStored bytes: Data) -> Any? {
        if let value = transformed(bytes, forwards: isUnarchiver) { return value }
        let value = transformed(bytes, forwards: !isUnarchiver)
        return value is Data ? nil : value
    }

    private func transformed(_ value: Any?, forwards: Bool) -> Any? {
        forwards ? transformedValue(value) : reverseTransformedValue(value)
    }

    /// Unarchivers are named for the way from bytes to values: they work the other way round.
    private var isUnarchiver: Bool { self is NSSecureUnarchiveFromDataTransformer }
}
