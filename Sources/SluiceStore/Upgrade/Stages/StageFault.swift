/// One thing that is wrong with a stage as it is written, found before anything runs.
package struct StageFault: Error, Hashable, Sendable {
    package enum Half: String, Sendable {
        /// Over the rows as the version before has them.
        case before
        /// Over the rows as this version has them.
        case after
    }

    /// Where in the stage; edits count from 0.
    package enum Place: Hashable, Sendable {
        case discarded(String)
        case entity(Half, Int)
        case condition(Half, Int)
        /// The name of what is set.
        case property(Half, Int, String)
        /// What it is set to.
        case expression(Half, Int, String)
        /// The stage as a whole.
        case stage
    }

    package let place: Place
    /// What stands there. Names and the author's own words, never a value of a row.
    package let found: String
    package let expected: String
    /// A name that nobody knows, and those that are known there.
    package let unknown: String?
    package let known: [String]

    package init(_ place: Place, found: String, expected: String, unknown: String? = nil, among known: [String] = []) {
        self.place = place
        self.found = found
        self.expected = expected
        self.unknown = unknown
        self.known = known
    }
}

extension StageFault: CustomStringConvertible {
    package var description: String { "\(place): found \(found); expected \(expected)" }
}

extension StageFault.Place: CustomStringConvertible {
    package var description: String {
        switch self {
        case .discarded(let name): "discard \(name)"
        case .entity(let half, let index): "\(half.rawValue), edit \(index + 1)"
        case .condition(let half, let index): "\(half.rawValue), edit \(index + 1), where"
        case .property(let half, let index, let name), .expression(let half, let index, let name):
            "\(half.rawValue), edit \(index + 1), \(name)"
        case .stage: "the stage"
        }
    }
}
