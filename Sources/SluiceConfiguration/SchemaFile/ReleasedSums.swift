// What was released is not changed any more: stores of that shape are out there. `released.sums` in the folder of versions says what each
// of them was when it was released; it is committed with them, and looks like this:
//
//     # version  SHA-256 of the shape  SHA-256 of the migration, or a dash
//     1.0.0  9f86d0…  -
//     2.0.0  60303a…  fd61a0…
//
// Both are taken over what the file means, so that comments and layout may change.

import Foundation
import SluiceDigest
package import SluiceSchema

/// The versions of a schema that were released, and what they were.
package struct ReleasedSums: Hashable, Sendable {
    package static let fileName = "released.sums"

    struct Sum: Hashable, Sendable {
        let shape: String
        let stage: String

        init(shape: String, stage: String) {
            self.shape = shape
            self.stage = stage
        }

        init(_ release: SchemaRelease) throws {
            shape = Digest.sha256(try release.schema.shapeEncoding()).hexadecimal
            stage = release.stage.map { Digest.sha256($0.canonicalEncoding).hexadecimal } ?? "-"
        }
    }

    private(set) var sums: [SchemaVersion: Sum] = [:]
    /// Where each stands in its file.
    private(set) var lines: [SchemaVersion: Int] = [:]

    package init() {}

    /// Reads the file at `path`; without one nothing was released.
    package init(readingFrom path: String) throws(ConfigurationError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let text: String
        do { text = try String(contentsOf: URL(filePath: path), encoding: .utf8) } catch {
            throw ConfigurationError(
                path, .top, found: "a file that cannot be read (\(ConfigurationFile.reason(error)))", expected: "one that can")
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 3, let version = SchemaVersion(first), sums[version] == nil, Self.isSum(words[1]),
                words[2] == "-" || Self.isSum(words[2])
            else {
                throw ConfigurationError(
                    path, Position(line: index + 1, column: 1), found: "`\(line.prefix(60))`",
                    expected: "a version that stands here once, and two SHA-256 sums or a sum and a dash")
            }
            sums[version] = Sum(shape: words[1], stage: words[2])
            lines[version] = index + 1
        }
    }

    private static func isSum(_ word: String) -> Bool {
        word.utf8.count == 64 && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Notes versions that are not noted yet. Those that are stay what they were.
    package mutating func record(_ releases: [SchemaRelease]) throws {
        for release in releases where sums[release.schema.version] == nil { sums[release.schema.version] = try Sum(release) }
    }

    /// What the file is to say.
    package var text: String {
        let lines = sums.sorted { $0.key < $1.key }.map { "\($0.key)  \($0.value.shape)  \($0.value.stage)\n" }
        return "# version  SHA-256 of the shape  SHA-256 of the migration, or a dash\n" + lines.joined()
    }
}

extension StageScript {
    /// The same bytes for the same stage on every machine: each part with its length in front.
    fileprivate var canonicalEncoding: Data {
        var bytes = Data()
        func add(_ parts: String...) { for part in parts { bytes.append(contentsOf: "\(part.utf8.count):\(part),".utf8) } }
        for name in discarded.sorted() { add("discard", name) }
        for (half, edits) in [("before", before), ("after", after)] {
            for edit in edits {
                add(half, edit.entity, edit.condition == nil ? "all" : "where", edit.condition ?? "")
                switch edit.action {
                case .delete: add("delete")
                case .set(let assignments): for assignment in assignments { add("set", assignment.property, assignment.expression) }
                }
            }
        }
        return bytes
    }
}
