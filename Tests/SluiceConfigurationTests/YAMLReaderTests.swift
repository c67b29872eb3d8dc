import Foundation
import Testing

@testable import SluiceConfiguration

@Suite struct YAMLReaderTests {
    private func read(_ text: String) throws -> YAMLNode { try YAMLReader.read(Data(text.utf8), file: "f.yaml") }

    private func fault(_ bytes: some Sequence<UInt8>) -> String? {
        do throws(ConfigurationError) {
            _ = try YAMLReader.read(Data(bytes), file: "f.yaml")
            return nil
        } catch {
            return error.description
        }
    }

    private func entries(_ node: YAMLNode) throws -> [YAMLNode.Entry] {
        guard case .mapping(let entries) = node.content else { throw POSIXError(.EINVAL) }
        return entries
    }

    @Test func `a scalar is the text that was written`() throws {
        let texts = try entries(read("a: no\nb: 1e3\nc: null\nd: 0x10\ne: \"x\\0y\"\nf: 2001-01-01\ng: ''")).map { $0.value.content }
        let written = ["no", "1e3", "null", "0x10", "x\0y", "2001-01-01", ""]
        for (content, text) in zip(texts, written) {
            guard case .scalar(text) = content else {
                Issue.record("\(content) is not \(text)")
                continue
            }
        }
        #expect(texts.count == written.count)
    }

    @Test func `keys and values know where they stand, and keys that stand twice stay visible`() throws {
        let found = try entries(read("a: 1\nb:\n  - x\n  - y\na: 2\n"))
        #expect(found.map(\.key) == ["a", "b", "a"])
        #expect(found.map(\.position) == [Position(line: 1, column: 1), Position(line: 2, column: 1), Position(line: 5, column: 1)])
        guard case .sequence(let items) = found[1].value.content else { throw POSIXError(.EINVAL) }
        #expect(items.map(\.position) == [Position(line: 3, column: 5), Position(line: 4, column: 5)])
    }

    @Test func `report R15: a byte order mark and CRLF are read as if they were not there`() throws {
        let plain = "service:\n  url: https://a\n  zone: b\n"
        let marked = "\u{FEFF}" + plain.replacingOccurrences(of: "\n", with: "\r\n")
        #expect("\(try read(marked))" == "\(try read(plain))")
    }

    @Test(arguments: [
        ("", "f.yaml:1:1: found an empty file; expected a mapping of keys"),
        ("# nothing\n", "f.yaml:1:1: found an empty file; expected a mapping of keys"),
        ("a:\n\tb: 1\n", "f.yaml:2:1: found a tab in the indentation; expected spaces"),
        ("a:\n  b: 1\n \tc: 2\n", "f.yaml:3:2: found a tab in the indentation; expected spaces"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2:1: found a second document; expected one document per file"),
        ("a: !!int 1\n", "f.yaml:1:4: found a tag; expected a value without one; its type is known from its key"),
        ("[a]: 1\n", "f.yaml:1:1: found a list of 1; expected a key"),
        ("a: *b\n", "f.yaml:1:4: found the alias `*b`; expected one whose anchor `&b` stands complete before it"),
        ("a: &b [*b]\n", "f.yaml:1:8: found the alias `*b`; expected one whose anchor `&b` stands complete before it"),
    ])
    func `what cannot be read is shown with its place`(text: String, message: String) {
        #expect(fault(text.utf8) == message)
    }

    @Test func `text that is no UTF-8 is shown with its line`() {
        #expect(fault(Array("a: 1\nb: ".utf8) + [0xFF, 0x0A])?.hasPrefix("f.yaml:2:1: found ") == true)
    }

    @Test func `aliases cannot expand without bound`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let items = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(items)]\n"
        }
        #expect(fault(text.utf8)?.contains("more than 20000 values") == true)
    }

    @Test func `depth and size have bounds`() {
        #expect(fault(Array(String(repeating: "[", count: 200).utf8))?.contains("64 levels") == true)
        #expect(fault(Array(repeating: UInt8(ascii: "a"), count: (1 << 20) + 1))?.contains("at most 1 MiB") == true)
    }
}
