import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

@Suite struct JSONExportTests {
    // MARK: There and back

    private static let forms: [(String, JSONExport.Form)] = [("export.json", .document), ("export.jsonl", .lines)]

    private func expectRoundTrip(_ name: String, _ place: Workplace) throws {
        let direct = try place.importing(name)
        let contents = try place.openTarget().contents()
        let file = try place.openAny(name)
        for (export, form) in Self.forms {
            let other = try Workplace()
            let text = try file.json(form)
            try text.write(to: URL(fileURLWithPath: other.source + "/" + export))
            let result = try other.importing(export)
            #expect(result.report.kind == .json)
            #expect(result.report.totals.leftRows == 0 && result.report.losses.isEmpty, "\(result.report.losses)")
            #expect(result.outcome == direct.outcome)
            #expect(try other.openTarget().contents() == contents)
            // The same content gives the same bytes, whether it comes from the store or from an export of it.
            let again = try other.openAny(export)
            #expect(try again.json(form) == text)
            #expect(again.schema == file.schema)
        }
    }

    @Test(.enabled(if: RealFile.areThere, "the real legacy stores are not beside this checkout"), arguments: RealFile.allCases)
    func `a real store that went through an export, as one document or as lines, gives the same store and the same digest`(_ real: RealFile)
        throws
    {
        let place = try Workplace()
        try real.copy(to: place)
        try expectRoundTrip(real.rawValue, place)
    }

    @Test func `everything Core Data can hold comes through an export bit for bit`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        try expectRoundTrip(CraftedLibrary.name, place)
    }

    @Test func `a store of ours comes through an export with its record names, places and pairs`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let digest = try place.importing(CraftedLibrary.name).outcome.contentDigest
        let contents = try place.openTarget().contents()
        try FileManager.default.copyItem(atPath: place.target, toPath: place.source + "/Ours.store")
        let support = place.path + "/.Private_SUPPORT"
        if FileManager.default.fileExists(atPath: support) {
            try FileManager.default.copyItem(atPath: support, toPath: place.source + "/.Ours_SUPPORT")
        }
        let other = try Workplace()
        try place.openAny("Ours.store").json(.lines).write(to: URL(fileURLWithPath: other.source + "/ours.jsonl"))
        let result = try other.importing("ours.jsonl")
        #expect(try other.openTarget().contents() == contents)
        #expect(result.report.losses.isEmpty)
        #expect(digest.count == 64)
    }

    @Test func `dates, numbers and text keep every bit`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/v.sqlite",
            model: [.init(name: "V", properties: [.attribute("when", 900), .attribute("real", 500), .attribute("text", 700)])],
            entities: [(1, "V", 0)],
            tables: ["CREATE TABLE ZV (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWHEN TIMESTAMP, ZREAL FLOAT, ZTEXT VARCHAR)"])
        let dates = [793_109_282.061, 573_385_274.217203, -0.1, 1e15, 0, .leastNonzeroMagnitude]
        let reals = [Double.infinity, -.infinity, 1, 0.1, .greatestFiniteMagnitude, 5e-324]
        let texts = ["e\u{301}\0x", "\u{2028}\"\\", "", "💡", "nan", "2001+5"]
        for index in dates.indices {
            try crafted.insert(
                "ZV",
                [
                    "Z_PK": SQLiteValue(index + 1), "Z_ENT": 1, "ZWHEN": .real(dates[index]), "ZREAL": .real(reals[index]),
                    "ZTEXT": .text(texts[index]),
                ])
        }
        try expectRoundTrip("v.sqlite", place)
        let text = String(decoding: try place.openAny("v.sqlite").json(.lines), as: UTF8.self)
        #expect(text.contains("\"when\":\"2001-01-01T00:00:00.000Z\""))
        #expect(text.contains("\"when\":\"2001+573385274.217203\""))
    }

    // MARK: What is refused

    private func small(_ place: Workplace, _ form: JSONExport.Form = .lines) throws -> String {
        _ = try CraftedLibrary.make(in: place)
        return String(decoding: try place.openAny(CraftedLibrary.name).json(form), as: UTF8.self)
    }

    private func refusal(_ text: String, in place: Workplace, _ name: String = "e.json") throws -> ImportError? {
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.source + "/" + name))
        let error = #expect(throws: ImportError.self) { try place.importing(name) }
        #expect(!FileManager.default.fileExists(atPath: place.target))
        #expect(error?.description.hasPrefix(place.source + "/" + name) == true)
        return error
    }

    @Test func `a half-written export is refused wherever it was cut off`() throws {
        let place = try Workplace()
        for form in [JSONExport.Form.lines, .document] {
            let text = try small(Workplace(), form)
            let cuts = stride(from: 1, to: text.utf8.count - 3, by: 211)
            for cut in cuts {
                let error = try refusal(String(decoding: text.utf8.prefix(cut), as: UTF8.self), in: place)
                switch error {
                case .incompleteExport, .malformedExport: break
                default: Issue.record("\(cut): \(String(describing: error))")
                }
            }
            // Whole lines that are missing are no fault of the text; the counts tell.
            var lines = text.split(separator: "\n")
            lines.remove(at: 2)
            guard case .incompleteExport(_, let expected, let found)? = try refusal(lines.joined(separator: "\n"), in: place) else {
                return #expect(Bool(false))
            }
            #expect(expected == found + 1)
        }
    }

    @Test func `each fault of an export is told with its line`() throws {
        let place = try Workplace()
        let text = try small(Workplace())
        let lines = text.split(separator: "\n").map(String.init)
        let edits: [(String, (inout [String]) -> Void, Int)] = [
            ("its record name stands above already", { $0.insert($0[2], at: 3) }, 4), ("has no entity `Nobody`", { $0[2] = #"{"entity":"Nobody","name":"x"}"# }, 3),
            ("unknown key `valeus`", { $0[1] = $0[1].replacing("\"values\"", with: "\"valeus\"") }, 2),
            ("missing required key 'name'", { $0[3] = #"{"entity":"Book"}"# }, 4), ("colon", { $0[4] = $0[4].replacing("\":\"", with: "\"\"") }, 5),
            ("newer version", { $0[0] = $0[0].replacing("\"version\":1", with: "\"version\":2") }, 1),
            ("sluice import --to-json", { $0[0] = #"{"items":[{"a":1}]}"# }, 1), ("sluice import --to-json", { $0[0] = "{}" }, 1),
            ("no to-many `Book.nothing`", { $0[$0.count - 2] = #"{"relationship":"Book.nothing","owner":"a","member":"b"}"# }, lines.count - 1),
        ]
        for (words, edit, line) in edits {
            var edited = lines
            edit(&edited)
            guard let error = try refusal(edited.joined(separator: "\n"), in: place) else { continue }
            guard case .malformedExport(_, let fault) = error else {
                Issue.record("\(words): \(error)")
                continue
            }
            #expect(fault.detail.contains(words), "\(error)")
            #expect(fault.line == line, "\(words): \(error)")
        }
        let document = try small(Workplace(), .document)
        for (old, new, words) in [("\"rows\":", "\"rovs\":", "`counts`"), ("\"entities\":[\"", "\"entities\":[1,\"", "`entities`")] {
            #expect(document.contains(old))
            guard case .malformedExport(_, let fault)? = try refusal(document.replacing(old, with: new), in: place) else {
                Issue.record("\(old) is not missed")
                continue
            }
            #expect(fault.detail.contains(words), "\(fault)")
        }
        _ = try refusal("[]", in: place)
        _ = try refusal("[{\"a\":1}]", in: place)
    }

    @Test func `values that have no place, references to nothing and what the schema promises are counted, and no row is lost`() throws {
        let place = try Workplace()
        let schema = try Schema(
            name: "s",
            validating: [
                Entity("A", attributes: [Attribute("count", .int16)], relationships: [Relationship("b", to: "B", isOptional: false)]),
                Entity("B", attributes: [Attribute("t", .string, isOptional: true)]),
            ])
        let head = String(decoding: try schema.canonicalEncoding(), as: UTF8.self)
        let text = """
            \u{FEFF}
            { "format" : "sluice-export", "version" : 1, "schema" : \(head),
              "rows" : [
                {"entity":"A","name":"one","values":{"count":70000,"other":5},"references":{"b":"two"}},
                {"entity":"B","name":"two","values":{"t":7}},
                {"entity":"A","name":"three","values":{"count":3},"references":{"b":"nobody"}} ],
              "links" : [ ], "counts" : { "rows" : 3, "links" : 0 } }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.source + "/e.json"))
        let result = try place.importing("e.json")
        let notes = result.report.notes
        #expect(notes.contains(.unreadableValue(property: "A.count", count: 1, rows: [1])))
        #expect(notes.contains(.unreadableValue(property: "B.t", count: 1, rows: [2])))
        #expect(notes.contains(.danglingReference(relationship: "A.b", count: 1, rows: [3])))
        #expect(notes.contains(.madeOptional(property: "A.count", rowCount: 1)) && notes.contains(.madeOptional(property: "A.b", rowCount: 1)))
        #expect(result.report.losses.contains { $0.hasPrefix("A.other: 1 values") })
        let contents = try place.openTarget().contents()
        #expect(contents.count == 3)
        #expect(contents["A one"]?.references["b"] == .text("two"))
        #expect(contents["A three"]?.attributes["count"] == .integer(3))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.source) == ["e.json"])
    }

    @Test func `an export file gets its name when it is whole`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let export = try JSONExport(place.openAny(CraftedLibrary.name), form: .document)
        try Data("half".utf8).write(to: URL(fileURLWithPath: place.path + "/x.json.partial"))
        try export.write(to: place.path + "/x.json")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/x.json.partial"))
        var status = stat()
        #expect(stat(place.path + "/x.json", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `every NaN keeps its sign and payload through an export`() throws {
        let place = try Workplace()
        let schema = try Schema(name: "s", validating: [Entity("V", attributes: [Attribute("real", .double, isOptional: true)])])
        let bits: [UInt64] = [Double.nan.bitPattern, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_BEEF, 0x7FF0_0000_0000_0001]
        do {
            let store = try Store(path: place.source + "/Ours.store", schema: schema, options: Store.Options(zone: "test"))
            try store.write {
                for (index, pattern) in bits.enumerated() {
                    _ = try store.put("V", name: RecordName("v\(index)"), RowEdit(attributes: ["real": .double(Double(bitPattern: pattern))]))
                }
            }
        }
        try expectRoundTripOfOurs("Ours.store", place)
        let text = String(decoding: try place.openAny("Ours.store").json(.lines), as: UTF8.self)
        #expect(text.contains(#""real":"nan"}"#) && text.contains(#""real":"nan:7ff800000000beef"}"#))
    }

    /// A move gives no digest, so the export is compared with the store's rows, and its two readings with each other.
    private func expectRoundTripOfOurs(_ name: String, _ place: Workplace) throws {
        _ = try place.importing(name)
        let contents = try place.openTarget().contents()
        var digests: Set<String> = []
        for (export, form) in Self.forms {
            let other = try Workplace()
            try place.openAny(name).json(form).write(to: URL(fileURLWithPath: other.source + "/" + export))
            digests.insert(try other.importing(export).outcome.contentDigest)
            #expect(try other.openTarget().contents() == contents)
        }
        // What is added row by row has the digest of the rows.
        let third = try Workplace()
        try FileManager.default.copyItem(atPath: place.source + "/" + name, toPath: third.source + "/" + name)
        let mapping = LegacyMapping(file: "/m.yaml", entities: [:])
        digests.insert(try third.importing(name, mapping: mapping).outcome.contentDigest)
        #expect(digests.count == 1)
    }
}
