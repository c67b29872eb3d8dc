import Foundation
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

/// The examples of `Docs/Helpers.md`, run and compared.
@Suite struct HelpersPageTests {
    /// A command and what it prints, standard error among it.
    struct Example {
        let command: String
        let line: Int
        var output = ""
    }

    private static let page: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return (try? String(contentsOf: root.appending(path: "Docs/Helpers.md"), encoding: .utf8)) ?? ""
    }()

    static func examples(in text: String) -> [Example] {
        var examples: [Example] = []
        var isConsole = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                examples.append(Example(command: String(line.dropFirst(2)), line: number + 1))
            } else if isConsole, !examples.isEmpty {
                examples[examples.count - 1].output += line + "\n"
            }
        }
        return examples
    }

    /// A container of that name below the user's own data.
    private final class Household {
        let home = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let schema = try Schema(
                name: "shopping",
                validating: [
                    Entity(
                        "Item",
                        attributes: [
                            Attribute("title", .string), Attribute("price", .double, isOptional: true), Attribute("isDone", .boolean),
                            Attribute("due", .date, isOptional: true),
                        ], relationships: [Relationship("list", to: "List")]),
                    Entity("List", attributes: [Attribute("name", .string)]),
                ])
            let store = try Store(path: home.appending(path: "Private.store").path, schema: schema, options: Store.Options(zone: "shopping"))
            try store.write {
                for name in ["food", "house"] { try store.put("List", name: .text(name), RowEdit(attributes: ["name": .string(name)])) }
                for (title, price, isDone, list) in [("milk", 1.5, false, "food"), ("bread", 3.25, true, "food"), ("soap", 2, false, "house")] {
                    var edit = RowEdit(
                        attributes: ["title": .string(title), "price": .double(price), "isDone": .boolean(isDone)], references: ["list": .text(list)])
                    if title == "milk" { edit.attributes["due"] = .date(Date(timeIntervalSince1970: 1_772_355_600)) }
                    try store.put("Item", name: .text(title), edit)
                }
            }
            let writer = try LocalStoreWriter(
                group: GroupDirectory(preparing: home.appending(path: "sluice/groups/shopping").path, unixGroup: nil),
                projections: Projection.everything(in: schema), privateStoreSchema: schema)
            try writer.update(from: store, lastSync: Date(timeIntervalSince1970: 1_771_416_482))
        }

        deinit {
            do { try FileManager.default.removeItem(at: home) } catch { print("could not remove \(home.path): \(error)") }
        }

        func run(_ command: String) throws -> String {
            let programs = URL(fileURLWithPath: GlanceFixture.program).deletingLastPathComponent().path
            return try GlanceFixture.run([
                "env", "XDG_DATA_HOME=\(home.path)", "SLUICE_GROUP=shopping", "PATH=\(programs):/usr/bin:/bin", "sh", "-c", "exec 2>&1\n\(command)",
            ]).output
        }
    }

    @Test func `every example prints what the page says`() throws {
        let household = try Household()
        let examples = Self.examples(in: Self.page)
        #expect(examples.count > 30)
        for example in examples {
            #expect(try household.run(example.command) == example.output, "line \(example.line): \(example.command)")
        }
    }

    @Test func `every command and every format has an example`() throws {
        let commands = Self.examples(in: Self.page).map(\.command).joined(separator: "\n")
        let help = try GlanceFixture.run([GlanceFixture.program, "--help"]).lines
        let names = help.drop { $0 != "Commands:" }.dropFirst().prefix { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count == 8)
        for name in names { #expect(commands.contains("sluice-glance \(name)"), "\(name)") }
        let completion = try GlanceFixture.run([GlanceFixture.program, "completions", "bash"]).lines.first { $0.contains("\"list --format\"") } ?? ""
        let formats = completion.split(separator: "'").dropFirst().first.map { $0.split(separator: " ").map(String.init) } ?? []
        #expect(formats.count == 11)
        for format in formats { #expect(commands.contains("--format \(format)"), "\(format)") }
    }

    @Test func `an example is found with its output, and a block of another kind is none`() {
        let found = Self.examples(in: "```console\n$ a b\none\ntwo\n$ c\n```\n```\n$ d\n```\n")
        #expect(found.map(\.command) == ["a b", "c"] && found.map(\.output) == ["one\ntwo\n", ""] && found.map(\.line) == [2, 5])
    }
}
