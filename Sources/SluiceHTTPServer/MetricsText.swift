/// Metrics in the Prometheus text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct MetricsText: Sendable {
    package enum Kind: String, Sendable {
        /// Only grows, and begins anew with the process.
        case counter
        /// What is now.
        case gauge
    }

    package typealias Labels = [(name: String, value: String)]

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    /// Adds one metric with all its samples.
    /// - Parameter name: letters, digits and underscores, with the unit at its end.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += "\(name)\(Self.text(sample.labels)) \(Self.text(sample.value))\n" }
    }

    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double, _ labels: Labels = []) {
        add(name, kind, help, [(labels, value)])
    }

    private static func text(_ labels: Labels) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    /// Whole numbers without a point: counts stay counts.
    private static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
