import Foundation
import Testing

/// `Docs/Behaviours.md` lists each behaviour once, and what it calls proven is proven.
@Suite struct BehaviourTableTests {
    private struct Row {
        let number: Int
        let suites: [String]
        let place: String
    }

    private static let page = "Docs/Behaviours.md"

    private func rows() throws -> [Row] {
        try String(contentsOf: SourceFolder.root.appending(path: Self.page), encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 3, let number = Int(cells[0]) else { return nil }
            return Row(number: number, suites: cells[2].matches(of: #/`(\w+)`/#).map { String($0.1) }, place: cells[2])
        }
    }

    /// The numbers in the sentences of a file's tests: one or several behaviours, perhaps after the article's snippets.
    private func numbers(in file: URL) throws -> Set<Int> {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lists = text.matches(of: #/func `(?:[A-Z]\d, )*behaviours? (\d+(?:, \d+)*): /#).map(\.1)
        return Set(lists.flatMap { $0.split(separator: ", ") }.compactMap { Int($0) })
    }

    /// Whose every number the page has to give.
    private func isListed(_ file: URL) -> Bool {
        let folder = file.deletingLastPathComponent().path.dropFirst(SourceFolder.root.path.count)
        return folder.hasPrefix("/Tests/ArticleTests") || folder == "/Tests/SluiceDataTests/Migration"
    }

    /// Every test source of the checkout, by its name without the extension: two targets may have files of one name.
    private func files() -> [String: [URL]] {
        let tests = SourceFolder.root.appending(path: "Tests")
        guard let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil) else { return [:] }
        var found: [String: [URL]] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            found[file.deletingPathExtension().lastPathComponent, default: []].append(file)
        }
        return found
    }

    @Test func `the table has each of the 88 behaviours once`() throws {
        #expect(try rows().map(\.number) == Array(1...88))
    }

    @Test func `a behaviour that is called proven has a test of its number, and no other of these suites has one`() throws {
        let files = files()
        let tested = try files.mapValues { Set(try $0.flatMap(numbers)) }
        let here = files.filter { $0.value.contains(where: isListed) }.keys
        for row in try rows() {
            #expect(!row.place.isEmpty, "behaviour \(row.number) is nowhere")
            for suite in row.suites {
                #expect(tested[suite]?.contains(row.number) == true, "\(suite) has no test of behaviour \(row.number)")
            }
            for suite in here where tested[suite]?.contains(row.number) == true {
                #expect(row.suites.contains(suite), "\(Self.page) does not say that \(suite) proves behaviour \(row.number)")
            }
        }
    }
}
