import Foundation

/// Archives property-list values (texts, numbers, dates, bytes, arrays and dictionaries of them) as a binary property list, and reads them.
///
/// On Apple's platforms the class of that name archives any object that says how; Swift values on this platform say that with `Codable`,
/// and are better declared with `@Attribute(.codable)`. A value of another kind transforms to nil. A subclass may narrow or widen what it
/// takes.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    open override class func transformedValueClass() -> AnyClass? { nil }

    /// The value that the bytes hold; nil where they hold none.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        // Bytes that are no property list hold no value: what is returned says so.
        return try? PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// The bytes of a property-list value.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, PropertyListSerialization.propertyList(value, isValidFor: .binary) else { return nil }
        // A value that was valid a moment ago is written.
        return try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }
}
