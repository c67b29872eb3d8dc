// A default is written as `ScalarForm` shows a value, except for a date between two milliseconds: `@793109282.0610001`, seconds since 2001,
// keeps every bit.

import Foundation
import SluiceSchema

extension ScalarKind where Value == PropertyValue {
    static func property(of type: AttributeType) -> ScalarKind {
        ScalarKind(expectation: expectation(type)) { text in
            if type == .date, text.hasPrefix("@") {
                return Double(text.dropFirst()).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            }
            return ScalarForm.string(text).property(as: type)
        }
    }

    private static func expectation(_ type: AttributeType) -> String {
        switch type {
        case .string: "text"
        case .url: "a URL"
        case .int16, .int32, .int64: "a whole number that fits \(type.rawValue)"
        case .boolean: "true or false"
        case .float, .double: "a number, nan, inf or -inf"
        case .decimal: "a decimal number"
        case .date: "a date such as 2026-11-30T12:00:00.000Z"
        case .data, .codable, .transformable: "bytes in base64"
        case .uuid: "a UUID"
        }
    }
}

extension PropertyValue {
    /// The text that `ScalarKind.property(of:)` reads as this value; nil for null.
    var defaultText: String? {
        if isNull { return nil }
        let text = ScalarForm(self).text
        guard case .date(let date) = self, ScalarForm.string(text).property(as: .date) != self else { return text }
        return "@\(date.timeIntervalSinceReferenceDate)"
    }
}
