import Foundation
import SluiceHTTPClient
import SluiceImport
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceCoordinator

/// Several legacy sources of one account: in order, each once, and none in the way of another.
@Suite struct LegacyIntakeTests {
    private final class Place {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-intake-\(UUID().uuidString)")
        let schema: Schema

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            schema = try Schema(
                name: "s", validating: [Entity("Note", attributes: [Attribute("text", .string), Attribute("size", .int64, isOptional: true)])])
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func path(_ name: String) -> String { folder.appending(path: name).path }

        /// An export with the given rows, by record name.
        @discardableResult func export(_ name: String, _ rows: [String: String], schema: Schema? = nil) throws -> String {
            let head = String(decoding: try (schema ?? self.schema).canonicalEncoding(), as: UTF8.self)
            var lines = [#"{"format":"sluice-export","version":1,"schema":\#(head)}"#]
            let entity = (schema ?? self.schema).entities[0].name
            for (key, text) in rows.sorted(by: { $0.key < $1.key }) {
                lines.append(#"{"entity":"\#(entity)","name":"\#(key)","values":{"text":"\#(text)"}}"#)
            }
            lines.append(#"{"counts":{"rows":\#(rows.count),"links":0}}"#)
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: name))
            return path(name)
        }

        func plan(_ sources: [LegacyPlan.Source]) throws -> AccountPlan {
            var plan = AccountPlan(
                name: "a", stateDirectory: path("state"), schema: .fixed(schema), zone: "z",
                service: ServiceAddress(
                    url: try #require(URL(string: "https://127.0.0.1:1")), container: "c", environment: .development),
                http: HTTPClientConfiguration(), credentials: { throw CancellationError() })
            plan.legacy = LegacyPlan(sources: sources, keep: nil)
            return plan
        }

        func run(_ sources: [LegacyPlan.Source], known: [LegacyStatus] = [], stoppingAfter rows: Int? = nil) throws -> [LegacyStatus] {
            var seen = 0
            let intake = LegacyIntake(
                plan: try plan(sources), directory: try StateDirectory(path: path("state")), schema: schema,
                isStopping: { rows.map { seen >= $0 } ?? false }, progress: { seen = max(seen, $1) })
            return try intake.run(besides: intake.recorded(), known: known)
        }

        func texts() throws -> [String: String] {
            let store = try Store(path: path("state/Private.store"), schema: schema, options: options)
            var texts: [String: String] = [:]
            try store.forEachRow(of: #require(store.layout.entities["Note"])) { row in
                if case .string(let text)? = row.attributes["text"] { texts[row.name.text] = text }
            }
            return texts
        }

        var options: Store.Options {
            var options = Store.Options(zone: "z")
            options.owner = "account a"
            return options
        }
    }

    private func sources(_ paths: String...) -> [LegacyPlan.Source] { paths.map { LegacyPlan.Source(path: $0) } }

    @Test func `sources come in their order, the first one's row stays where two have one, and each comes once`() throws {
        let place = try Place()
        let first = try place.export("first.jsonl", ["r1": "one", "r2": "two"])
        let second = try place.export("second.jsonl", ["r2": "other two", "r3": "three"])
        let statuses = try place.run(sources(first, second))
        #expect(statuses.map(\.state) == ["imported", "imported"] && statuses.map(\.rows) == [2, 1])
        #expect(try place.texts() == ["r1": "one", "r2": "two", "r3": "three"])
        let again = try place.run(sources(first, second))
        #expect(again == statuses)
        #expect(try place.texts().count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("state/Legacy")).count == 3)

        let other = try Place()
        _ = try other.run(sources(try other.export("second.jsonl", ["r2": "other two"]), try other.export("first.jsonl", ["r2": "two"])))
        #expect(try other.texts() == ["r2": "other two"])
    }

    @Test func `I-9 a source that is broken, of another kind, or not there keeps no other one from its turn`() throws {
        let place = try Place()
        try Data("hello".utf8).write(to: place.folder.appending(path: "broken.store"))
        let good = try place.export("good.jsonl", ["r1": "one"])
        let cut = try place.export("cut.jsonl", ["r9": "nine"])
        try Data(try Data(contentsOf: URL(filePath: cut)).dropLast(10)).write(to: URL(filePath: cut))
        var list = sources(place.path("broken.store"), place.path("later.jsonl"), cut, good)
        list.insert(.init(path: try place.export("kind.jsonl", ["r7": "seven"]), kind: .coreData), at: 2)
        let statuses = try place.run(list)
        #expect(statuses.map(\.state) == ["failed", "missing", "failed", "failed", "imported"])
        #expect(statuses[2].reason?.contains("it is of kind json") == true)
        #expect(statuses[3].reason?.contains("it is cut off") == true)
        #expect(try place.texts() == ["r1": "one"])
        // Mended and appeared since: they come at the next attempt, and nothing comes twice.
        try place.export("later.jsonl", ["r2": "two"])
        try place.export("cut.jsonl", ["r9": "nine"])
        #expect(try place.run(list).map(\.state) == ["failed", "imported", "failed", "imported", "imported"])
        #expect(try place.texts() == ["r1": "one", "r2": "two", "r9": "nine"])
    }

    @Test func `a source that is refused for what it holds is not copied again until it is written`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one"])
        let whole = try Data(contentsOf: URL(filePath: file))
        try whole.dropLast(10).write(to: URL(filePath: file))
        var known = try place.run(sources(file))
        #expect(known[0].state == "failed" && known[0].mark != nil)
        // The staging folder shows whether anybody looked.
        try FileManager.default.removeItem(atPath: place.path("state/Legacy"))
        #expect(try place.run(sources(file), known: known) == known)
        #expect(!FileManager.default.fileExists(atPath: place.path("state/Legacy")))
        // A start looks at everything anew, and so does whoever sees another file.
        #expect(try place.run(sources(file)) == known)
        try whole.write(to: URL(filePath: file))
        known = try place.run(sources(file), known: known)
        #expect(known.map(\.state) == ["imported"])
    }

    @Test func `one file under two names is imported once, and the second name says so`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one"])
        try FileManager.default.createSymbolicLink(atPath: place.path("link.jsonl"), withDestinationPath: file)
        try FileManager.default.copyItem(atPath: file, toPath: place.path("copy.jsonl"))
        let statuses = try place.run(sources(file, place.path("link.jsonl"), place.path("copy.jsonl"), file))
        #expect(statuses.map(\.state) == ["imported", "imported", "imported", "imported"])
        #expect(statuses.map(\.rows) == [1, 0, 0, 1])
        #expect(statuses[1].reason == "it has the same content as \(file)")
        #expect(try place.texts() == ["r1": "one"])
    }

    @Test func `a source that was written since it was imported is told, and not imported again`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one"])
        _ = try place.run(sources(file))
        #expect(try place.run(sources(file))[0].reason == nil)
        try place.export("a.jsonl", ["r1": "one", "r2": "two"])
        let status = try place.run(sources(file))[0]
        #expect(status.state == "imported" && status.rows == 1)
        #expect(status.reason?.contains("written since it was imported") == true)
        #expect(try place.texts() == ["r1": "one"])
        // Under another name it is a source like any other: what is there stays, what is new comes.
        try FileManager.default.copyItem(atPath: file, toPath: place.path("again.jsonl"))
        #expect(try place.run(sources(file, place.path("again.jsonl")))[1].rows == 1)
        #expect(try place.texts() == ["r1": "one", "r2": "two"])
    }

    @Test func `a source that goes away after its import stays imported`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one"])
        let before = try place.run(sources(file))
        try FileManager.default.removeItem(atPath: file)
        #expect(try place.run(sources(file)) == before)
    }

    @Test func `stopped between or in the middle of sources, the next run takes in the rest and doubles nothing`() throws {
        for stop in [0, 1, 700, 1_200] {
            let place = try Place()
            let rows = Dictionary(uniqueKeysWithValues: (0..<1_500).map { ("r\($0)", "text \($0)") })
            let list = sources(
                try place.export("small.jsonl", ["s": "small"]), try place.export("large.jsonl", rows), try place.export("last.jsonl", ["t": "last"]))
            #expect(throws: CancellationError.self) { try place.run(list, stoppingAfter: stop) }
            let statuses = try place.run(list)
            #expect(statuses.map(\.state) == ["imported", "imported", "imported"], "\(stop)")
            #expect(try place.texts().count == 1_502, "\(stop)")
        }
    }

    @Test func `a run that was cut off between an import and its note ends with the numbers of that import`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one", "r2": "two"])
        let status = try place.run(sources(file))[0]
        do {
            let store = try Store(path: place.path("state/Private.store"), schema: place.schema, options: place.options)
            try store.set(.null, for: "legacy:" + file)
        }
        #expect(try place.run(sources(file)) == [status])
    }

    @Test func `each source has a mapping of its own, and one that does not fit fails that source alone`() throws {
        let place = try Place()
        let foreign = try Schema(name: "f", validating: [Entity("Memo", attributes: [Attribute("text", .string)])])
        let file = try place.export("memo.jsonl", ["m1": "memo"], schema: foreign)
        func mapping(_ entity: String) -> LegacyMapping {
            LegacyMapping(file: "/m.yaml", entities: [entity: .init(.init(entity, line: 2, column: 3), name: .init("Note"))])
        }
        var wrong = LegacyPlan.Source(path: file, mapping: mapping("Meno"))
        let good = LegacyPlan.Source(path: try place.export("note.jsonl", ["r1": "one"]))
        let statuses = try place.run([wrong, good])
        #expect(statuses.map(\.state) == ["failed", "imported"])
        #expect(statuses[0].reason == "/m.yaml:2:3: found entity `Meno`; expected one of the legacy store. Did you mean `Memo`?")
        wrong.mapping = mapping("Memo")
        #expect(try place.run([wrong, good]).map(\.state) == ["imported", "imported"])
        #expect(try place.texts() == ["r1": "one", "m1": "memo"])
    }

    @Test func `a store of ours after another source is added under its record names`() throws {
        let place = try Place()
        do {
            let store = try Store(path: place.path("Ours.store"), schema: place.schema, options: place.options)
            try store.write { _ = try store.put("Note", name: RecordName("o1"), RowEdit(attributes: ["text": .string("ours")])) }
        }
        let file = try place.export("a.jsonl", ["r1": "one"])
        let statuses = try place.run(sources(file, place.path("Ours.store")))
        #expect(statuses.map(\.state) == ["imported", "imported"], "\(statuses)")
        #expect(try place.texts() == ["r1": "one", "o1": "ours"])
    }

    @Test func `a store that is moved here does not bring along which sources its old machine had taken in`() throws {
        let place = try Place()
        let file = try place.export("a.jsonl", ["r1": "one"])
        _ = try place.run(sources(file))
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: place.path("state/Private.store" + suffix)) {
            try FileManager.default.copyItem(atPath: place.path("state/Private.store" + suffix), toPath: place.path("Ours.store" + suffix))
        }
        try FileManager.default.removeItem(atPath: place.path("state"))
        // Another machine: what lies at the same path is another file.
        try place.export("a.jsonl", ["r2": "two"])
        let moved = try place.run(sources(place.path("Ours.store")))
        #expect(moved.map(\.state) == ["imported"])
        let both = try place.run(sources(place.path("Ours.store"), file))
        #expect(both.map(\.state) == ["imported", "imported"])
        #expect(both[0] == moved[0] && both[1].rows == 1)
        #expect(try place.texts() == ["r1": "one", "r2": "two"])
    }

    @Test func `a store of ours that is damaged is copied once, not at every look`() throws {
        let place = try Place()
        let path = place.path("Ours.store")
        do {
            let store = try Store(path: path, schema: place.schema, options: place.options)
            try store.write { for number in 0..<400 { _ = try store.put("Note", name: RecordName("o\(number)"), RowEdit(attributes: ["text": .string("text")])) } }
            _ = try store.connection.checkpoint()
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        for offset in stride(from: 4_096 * 3, to: bytes.count, by: 4_096) { for index in 0..<64 { bytes[offset + index] = 0xFF } }
        try bytes.write(to: URL(filePath: path))
        let known = try place.run(sources(path))
        #expect(known[0].state == "failed" && known[0].mark != nil, "\(known)")
        try FileManager.default.removeItem(atPath: place.path("state/Legacy"))
        #expect(try place.run(sources(path), known: known) == known)
        #expect(!FileManager.default.fileExists(atPath: place.path("state/Legacy")))
    }
}
