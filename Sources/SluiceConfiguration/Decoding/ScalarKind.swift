import Foundation
import SluiceNotation

/// A declared type of scalar: what it reads, and what to say to somebody who wrote something else.
struct ScalarKind<Value> {
    /// To follow "expected".
    let expectation: String
    let read: (String) -> Value?
    var suggest: (String) -> String? = { _ in nil }
    /// What somebody wrote by mistake may be one, so it is not repeated.
    var isSecret = false
}

extension ScalarKind where Value == String {
    static var text: ScalarKind { ScalarKind(expectation: "text") { $0 } }

    /// A name that becomes the name of a file or directory, so it must not lead anywhere else.
    static var fileName: ScalarKind {
        ScalarKind(expectation: "a name of letters, digits, `-`, `_` and `.` that does not begin with a dot") { text in
            let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || "0123456789-_.".contains($0)) }
            return isPlain && !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 200 ? text : nil
        }
    }
}

extension ScalarKind where Value == Bool {
    static var flag: ScalarKind {
        ScalarKind(expectation: "true or false", read: { ["true": true, "false": false][$0] }) {
            // What other YAML readers take for a truth value.
            ["yes": "true", "on": "true", "no": "false", "off": "false"][$0.lowercased()]
        }
    }
}

extension ScalarKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ScalarKind {
        ScalarKind(expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ScalarKind where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> ScalarKind {
        let limits = "from \(range.lowerBound.notation) to \(range.upperBound.notation)"
        return ScalarKind(expectation: "a duration \(limits), such as 250ms, 30s, 5m, 12h or 90d") { text in
            Duration(notation: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ScalarKind where Value == ByteCount {
    static func size(_ range: ClosedRange<ByteCount>) -> ScalarKind {
        ScalarKind(expectation: "a size from \(range.lowerBound) to \(range.upperBound), such as 64MiB") { text in
            ByteCount(notation: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ScalarKind where Value == URL {
    /// Credentials belong into files, a query into requests.
    static var serviceURL: ScalarKind {
        ScalarKind(expectation: "an https or http URL without user, password and query") { text in
            guard let url = URL(string: text), let scheme = url.scheme, scheme == "https" || scheme == "http",
                let host = url.host(), !host.isEmpty, url.user() == nil, url.password() == nil, url.query() == nil, url.fragment() == nil
            else { return nil }
            return url
        }
    }
}

extension ScalarKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static func choice(_ type: Value.Type = Value.self) -> ScalarKind { choice(among: Array(Value.allCases)) }

    /// One of some of them.
    static func choice(among values: [Value]) -> ScalarKind {
        let words = values.map(\.rawValue)
        return ScalarKind(
            expectation: "one of \(words.joined(separator: ", "))", read: { text in Value(rawValue: text).flatMap { words.contains($0.rawValue) ? $0 : nil } },
            suggest: { Spelling.nearest(to: $0, in: words) })
    }
}
