// Rows by name and kind. A property that the row does not have, or has another kind of value in, is nil: like one without a value.

public import FoundationEssentials
public import SluiceSchema

extension StoredRow {
    /// The value of an attribute; null where it has none, or the row no such attribute.
    public subscript(_ attribute: String) -> PropertyValue { attributes[attribute] ?? .null }

    /// A text, or a URL's.
    public func string(_ attribute: String) -> String? { if case .string(let value) = self[attribute] { value } else { nil } }
    /// A whole number.
    public func integer(_ attribute: String) -> Int64? { if case .integer(let value) = self[attribute] { value } else { nil } }
    public func boolean(_ attribute: String) -> Bool? { if case .boolean(let value) = self[attribute] { value } else { nil } }
    /// A floating-point number, or a whole one as such.
    public func double(_ attribute: String) -> Double? {
        switch self[attribute] {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    public func decimal(_ attribute: String) -> Decimal? { if case .decimal(let value) = self[attribute] { value } else { nil } }
    public func date(_ attribute: String) -> Date? { if case .date(let value) = self[attribute] { value } else { nil } }
    public func uuid(_ attribute: String) -> UUID? { if case .uuid(let value) = self[attribute] { value } else { nil } }
    /// Bytes: of a data attribute, or a codable value's encoding.
    public func data(_ attribute: String) -> Data? { if case .data(let value) = self[attribute] { value } else { nil } }
    /// The record that a to-one relationship leads to.
    public func reference(_ relationship: String) -> RecordName? { references[relationship] }
}
