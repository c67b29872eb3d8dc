import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

@Suite struct LegacyImportTests {
    private static let base = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    private func options() -> LegacyImport.Options { .init(store: Store.Options(zone: "test"), schemaName: "legacy") }

    private func run(
        _ name: String, in place: Workplace, after step: (LegacyImport.Step) throws -> Void = { _ in }
    ) throws -> LegacyImport.Result {
        try LegacyImport(target: place.path + "/Private.store", options: options()).run(place.stage(name), after: step)
    }

    private func open(_ place: Workplace) throws -> Store {
        let path = place.path + "/Private.store"
        let schema = try #require(try Store.schema(at: path))
        return try Store(path: path, schema: schema, options: Store.Options(zone: "test"))
    }

    /// Folders in a tree, items in folders, tags on items, one cover per folder.
    private func library(_ place: Workplace) throws -> CraftedFile {
        let crafted = try CraftedFile(
            place.source + "/l.sqlite",
            model: [
                .init(
                    name: "Folder",
                    properties: [
                        .attribute("name", 700), .toOne("parent", "Folder", inverse: "children"),
                        .toMany("children", "Folder", inverse: "parent"), .toMany("items", "Item", inverse: "folder"),
                        .toOne("cover", "Item", inverse: "covers"),
                    ]),
                .init(
                    name: "Item",
                    properties: [
                        .attribute("title", 700, optional: false), .toOne("folder", "Folder", inverse: "items", optional: false),
                        .toOne("covers", "Folder", inverse: "cover"), .toMany("tags", "Tag", inverse: "items"),
                    ]), .init(name: "Tag", properties: [.attribute("label", 700), .toMany("items", "Item", inverse: "tags")]),
            ], entities: [(1, "Folder", 0), (2, "Item", 0), (3, "Tag", 0)],
            tables: [
                "CREATE TABLE ZFOLDER (\(Self.base), ZPARENT INTEGER, ZCOVER INTEGER, ZNAME VARCHAR)",
                "CREATE TABLE ZITEM (\(Self.base), ZFOLDER INTEGER, ZCOVERS INTEGER, ZTITLE VARCHAR)",
                "CREATE TABLE ZTAG (\(Self.base), ZLABEL VARCHAR)", "CREATE TABLE Z_2TAGS (Z_2ITEMS INTEGER, Z_3TAGS INTEGER)",
            ])
        // Folder 1 lies in folder 2, which comes later; the cover of folder 1 is an item of it.
        try crafted.insert("ZFOLDER", ["Z_PK": 1, "Z_ENT": 1, "ZNAME": "in", "ZPARENT": 2, "ZCOVER": 1])
        try crafted.insert("ZFOLDER", ["Z_PK": 2, "Z_ENT": 1, "ZNAME": "out"])
        try crafted.insert("ZITEM", ["Z_PK": 1, "Z_ENT": 2, "ZTITLE": "a", "ZFOLDER": 1, "ZCOVERS": 1])
        try crafted.insert("ZITEM", ["Z_PK": 2, "Z_ENT": 2, "ZTITLE": "b", "ZFOLDER": 1])
        try crafted.insert("ZTAG", ["Z_PK": 1, "Z_ENT": 3, "ZLABEL": "red"])
        for item in [1, 2] { try crafted.insert("Z_2TAGS", ["Z_2ITEMS": SQLiteValue(item), "Z_3TAGS": 1]) }
        return crafted
    }

    private func rows(_ entity: String, _ store: Store) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try store.forEachRow(of: #require(store.layout.entities[entity])) { rows.append($0) }
        return rows
    }

    // MARK: A new store

    @Test(.enabled(if: RealFile.areThere, "the real legacy stores are not beside this checkout"), arguments: RealFile.allCases)
    func `a real file becomes a store with its counts, and a second device that imports it gets the same digest`(_ real: RealFile) throws {
        var digests: Set<String> = []
        for _ in 0..<2 {
            let place = try Workplace()
            try real.copy(to: place)
            let result = try run(real.rawValue, in: place)
            let store = try open(place)
            for (entity, count) in real.counts {
                #expect(result.outcome.inserted[entity] == count)
                #expect(try rows(entity, store).filter { $0.entity == entity }.count == count)
            }
            #expect(result.outcome.insertedRows == result.report.totals.importedRows)
            #expect(result.outcome.insertedLinks == result.report.totals.importedLinks)
            #expect(result.outcome.brokenReferences == 0 && result.outcome.contradictedReferences == 0)
            #expect(result.outcome.conflictingRows == 0 && result.outcome.unmappedValues.isEmpty)
            #expect(try store.connection.integerFaults().isEmpty)
            digests.insert(result.outcome.contentDigest)
        }
        #expect(digests.count == 1)
    }

    @Test func `references forwards, in cycles, one-to-one and many-to-many arrive, logged as an import`() throws {
        let place = try Workplace()
        _ = try library(place)
        let result = try run("l.sqlite", in: place)
        #expect(result.outcome.insertedRows == 5 && result.outcome.insertedLinks == 2 && result.outcome.brokenReferences == 0)
        let store = try open(place)
        let folders = try rows("Folder", store)
        let (inner, outer) = (try #require(folders.first { $0.attributes["name"] == .string("in") }), try #require(folders.last))
        #expect(inner.references["parent"] == outer.name)
        let items = try rows("Item", store)
        #expect(items.map { $0.references["folder"] } == [inner.name, inner.name])
        #expect(inner.references["cover"] ?? items[0].references["covers"] != nil)
        let pairs = try rows("Item_tags", store)
        #expect(Set(pairs.compactMap { $0.references["source"] }) == Set(items.map(\.name)))
        let changes = try store.changes(after: 0, limit: 100)
        #expect(!changes.isEmpty && changes.allSatisfy { $0.origin == .import })
    }

    @Test func `a one-to-one that only the side without a column states is taken over, a contradicted one is counted`() throws {
        let place = try Workplace()
        let crafted = try library(place)
        // "Folder.cover" sorts before "Item.covers", so the folder's column holds it.
        try crafted.connection.execute("UPDATE ZFOLDER SET ZCOVER = NULL; UPDATE ZITEM SET ZCOVERS = 2 WHERE Z_PK = 2")
        #expect(try run("l.sqlite", in: place).outcome.contradictedReferences == 0)
        let store = try open(place)
        let items = try rows("Item", store)
        #expect(Set(try rows("Folder", store).compactMap { $0.references["cover"] }) == Set(items.map(\.name)))

        let other = try Workplace()
        try library(other).connection.execute("UPDATE ZFOLDER SET ZCOVER = 2 WHERE Z_PK = 1")
        #expect(try run("l.sqlite", in: other).outcome.contradictedReferences == 1)
    }

    private struct Stop: Error {}

    @Test func `field report 03: stopped at any step there is no store or the whole one, and the next run ends with it`() throws {
        let steps: [LegacyImport.Step] = [.begun, .rows(2), .rows(5), .proved, .recorded, .merged, .renamed]
        for stop in steps {
            let place = try Workplace()
            _ = try library(place)
            #expect(throws: Stop.self) { try run("l.sqlite", in: place) { if $0 == stop { throw Stop() } } }
            #expect(FileManager.default.fileExists(atPath: place.path + "/Private.store") == (stop == .renamed))
            let again = try run("l.sqlite", in: place).outcome
            #expect(again.isRepeated == (stop == .renamed))
            #expect(again.insertedRows == 5)
            #expect(try rows("Item", open(place)).count == 2)
            #expect(!(try FileManager.default.contentsOfDirectory(atPath: place.path)).contains { $0.contains(".importing") })
        }
    }

    @Test func `logs and half-built stores that lie where the new store goes do not get into it`() throws {
        let place = try Workplace()
        _ = try library(place)
        // What a killed import and a removed store leave behind.
        let old = try Connection(path: place.path + "/old", mode: .create)
        _ = try old.value("PRAGMA journal_mode = WAL")
        try old.execute("CREATE TABLE t(v); INSERT INTO t VALUES ('old')")
        for name in ["Private.store-wal", "Private.store.importing", "Private.store.importing-wal"] {
            try FileManager.default.copyItem(atPath: place.path + "/old-wal", toPath: place.path + "/" + name)
        }
        _ = try run("l.sqlite", in: place)
        #expect(try rows("Item", open(place)).count == 2)
    }

    // MARK: An existing store

    @Test func `the same bytes are imported once, whatever was edited or deleted since`() throws {
        let place = try Workplace()
        _ = try library(place)
        let first = try run("l.sqlite", in: place).outcome
        do {
            let store = try open(place)
            let item = try rows("Item", store)[1]
            try store.write { _ = try store.delete(item.name) }
        }
        var again = try run("l.sqlite", in: place).outcome
        #expect(again.isRepeated)
        again.isRepeated = false
        #expect(again == first)
        #expect(try rows("Item", open(place)).count == 1)
    }

    @Test func `a file that went on is added: known rows stay as they are, new ones come, and no row comes twice`() throws {
        let place = try Workplace()
        let crafted = try library(place)
        _ = try run("l.sqlite", in: place)
        do {
            let store = try open(place)
            let tag = try rows("Tag", store)[0]
            try store.write { _ = try store.put("Tag", name: tag.name, RowEdit(attributes: ["label": .string("edited")])) }
        }
        try crafted.insert("ZITEM", ["Z_PK": 3, "Z_ENT": 2, "ZTITLE": "c", "ZFOLDER": 1])
        try crafted.insert("Z_2TAGS", ["Z_2ITEMS": 3, "Z_3TAGS": 1])
        let outcome = try run("l.sqlite", in: place).outcome
        #expect(outcome.insertedRows == 1 && outcome.unchangedRows == 4 && outcome.editedRows == 1)
        #expect(outcome.insertedLinks == 1 && outcome.unchangedLinks == 2)
        let store = try open(place)
        #expect(try rows("Tag", store).map { $0.attributes["label"] } == [.string("edited")])
        #expect(try rows("Item", store).count == 3)
        #expect(try rows("Item_tags", store).count == 3)
    }

    @Test func `a row that was deleted here stays deleted when the file comes again with more in it`() throws {
        let place = try Workplace()
        let crafted = try library(place)
        _ = try run("l.sqlite", in: place)
        do {
            let store = try open(place)
            let item = try rows("Item", store)[1]
            try store.write {
                let row = try #require(try store.row(named: item.name))
                _ = try store.delete(item.name)
                try store.rememberDeletion(of: item.name, table: row.table)
            }
        }
        try crafted.insert("ZTAG", ["Z_PK": 2, "Z_ENT": 3, "ZLABEL": "blue"])
        let outcome = try run("l.sqlite", in: place).outcome
        #expect(outcome.deletedRows == 1 && outcome.insertedRows == 1 && outcome.brokenReferences == 1)
        #expect(try rows("Item", open(place)).count == 1)
    }

    @Test func `adding to a store is all or nothing`() throws {
        let place = try Workplace()
        let crafted = try library(place)
        _ = try run("l.sqlite", in: place)
        try crafted.insert("ZITEM", ["Z_PK": 3, "Z_ENT": 2, "ZTITLE": "c", "ZFOLDER": 1])
        for stop in [LegacyImport.Step.rows(6), .proved, .recorded] {
            #expect(throws: Stop.self) { try run("l.sqlite", in: place) { if $0 == stop { throw Stop() } } }
            #expect(try rows("Item", open(place)).count == 2)
        }
        #expect(try run("l.sqlite", in: place).outcome.insertedRows == 1)
    }

    @Test func `what the account's schema lacks is counted, not guessed`() throws {
        let place = try Workplace()
        _ = try library(place)
        var options = options()
        options.schema = try Schema(name: "mine", validating: [Entity("Item", attributes: [Attribute("title", .string)])])
        let outcome = try LegacyImport(target: place.path + "/Private.store", options: options).run(place.stage("l.sqlite")).outcome
        #expect(outcome.inserted == ["Item": 2] && outcome.unmappedRows == 3)
        #expect(outcome.unmappedValues == ["Item.folder": 2, "Item.covers": 1])
    }

    // MARK: Ours

    @Test func `field report 04: a store of ours keeps names, tags, token and what waits to be sent`() throws {
        let place = try Workplace()
        let schema = try Schema(name: "s", validating: [Entity("Note", attributes: [Attribute("text", .string)])])
        let path = place.source + "/Private.store"
        var name: RecordName?
        do {
            let store = try Store(path: path, schema: schema, options: Store.Options(zone: "z"))
            try store.write {
                for number in 0..<10 { name = try store.put("Note", RowEdit(attributes: ["text": .string("\(number)")])).name }
                try store.setRecordState(RecordState(tag: "t1"), of: #require(name), table: 0)
            }
            try FileManager.default.createDirectory(atPath: place.source + "/.Private_SUPPORT/blobs", withIntermediateDirectories: true)
            try Data([7]).write(to: URL(fileURLWithPath: place.source + "/.Private_SUPPORT/blobs/one"))
        }
        // Closed before the import: a store that this process has open is no source.
        let (identifier, changes) = try {
            let before = try Store(path: path, schema: schema, options: Store.Options(zone: "z"))
            return (before.identifier, try before.changes(after: 0, limit: 100))
        }()
        let result = try run("Private.store", in: place)
        let store = try open(place)
        #expect(store.identifier == identifier)
        #expect(try rows("Note", store).count == 10)
        #expect(try store.recordState(of: #require(name))?.tag == "t1")
        #expect(try store.changes(after: 0, limit: 100) == changes)
        #expect(result.report.kind == .sluice && result.report.rowCount(of: "Note") == 10)
        #expect(FileManager.default.fileExists(atPath: place.path + "/.Private_SUPPORT/blobs/one"))
        // The same bytes again: a run that was cut off after the rename is finished.
        #expect(try run("Private.store", in: place).outcome.isRepeated)
    }

    @Test func `a second store of ours is added under its record names, and what both have stays as it is here`() throws {
        let place = try Workplace()
        let schema = try Schema(name: "s", validating: [Entity("Note", attributes: [Attribute("text", .string)])])
        let shared = RecordName("shared")
        for (file, texts) in [("First.store", ["one", "two"]), ("Second.store", ["three"])] {
            let store = try Store(path: place.source + "/" + file, schema: schema, options: Store.Options(zone: "z"))
            try store.write {
                for text in texts { _ = try store.put("Note", RowEdit(attributes: ["text": .string(text)])) }
                _ = try store.put("Note", name: shared, RowEdit(attributes: ["text": .string(file)]))
            }
        }
        #expect(try run("First.store", in: place).outcome.insertedRows == 3)
        let identifier = try open(place).identifier
        let second = try run("Second.store", in: place)
        #expect(second.outcome.insertedRows == 1 && second.outcome.editedRows == 1 && second.report.kind == .sluice)
        #expect(second.report.totals.importedRows == 2)
        let store = try open(place)
        #expect(store.identifier == identifier)
        #expect(Set(try rows("Note", store).compactMap { $0.attributes["text"] }) == ["First.store", "one", "two", "three"].reduce(into: []) { $0.insert(.string($1)) })
        #expect(try run("Second.store", in: place).outcome.isRepeated)
    }

    @Test func `large values of a legacy file lie in files beside the new store, whatever stops the import on the way`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/Photos.sqlite", model: [.init(name: "Photo", properties: [.attribute("image", 1000, flags: 4)])],
            entities: [(1, "Photo", 0)], tables: ["CREATE TABLE ZPHOTO (\(Self.base), ZIMAGE BLOB)"])
        let folder = place.source + "/.Photos_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let large = Data(repeating: 7, count: 300_000)
        let name = UUID().uuidString
        try large.write(to: URL(fileURLWithPath: folder + "/" + name))
        try crafted.insert("ZPHOTO", ["Z_PK": 1, "Z_ENT": 1, "ZIMAGE": .blob(Data([1, 5, 6]))])
        try crafted.insert("ZPHOTO", ["Z_PK": 2, "Z_ENT": 1, "ZIMAGE": .blob(Data([2]) + Data(name.utf8))])
        struct Stop: Error {}
        #expect(throws: Stop.self) { try run("Photos.sqlite", in: place) { if $0 == .proved { throw Stop() } } }
        _ = try run("Photos.sqlite", in: place)
        let store = try open(place)
        #expect(try rows("Photo", store).map { $0.attributes["image"] } == [.data(Data([5, 6])), .data(large)])
        let text = try store.connection.value("SELECT image FROM Photo ORDER BY _pk DESC LIMIT 1")?.text
        #expect(text == ExternalValueWriter.reference(to: large).text)
        #expect(try store.externalFaults(checkingContents: true).isEmpty)
        #expect(store.externalValues?.folder.hasSuffix("/.Private_SUPPORT") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix("_SUPPORT") } == [".Private_SUPPORT"])
        // The same rows of a file that went on: they are the same values, and one that is lost here is no reason to stop.
        try FileManager.default.removeItem(atPath: #require(store.externalValues).path(of: ExternalValueWriter.reference(to: large)))
        try crafted.insert("ZPHOTO", ["Z_PK": 3, "Z_ENT": 1, "ZIMAGE": .blob(Data([1, 9]))])
        let again = try run("Photos.sqlite", in: place).outcome
        #expect(again.insertedRows == 1 && again.unchangedRows == 1 && again.editedRows == 1)
    }

    @Test func `the large values of a store of ours move with it, and one that was lost before is reported`() throws {
        let place = try Workplace()
        let schema = try Schema(
            name: "s", validating: [Entity("Photo", attributes: [Attribute("image", .data, isOptional: true, isExternal: true)])])
        let (kept, lost) = (Data(repeating: 1, count: 200_000), Data(repeating: 2, count: 200_000))
        do {
            let store = try Store(path: place.source + "/Old.store", schema: schema, options: Store.Options(zone: "z"))
            for value in [kept, lost] { try store.write { _ = try store.put("Photo", RowEdit(attributes: ["image": .data(value)])) } }
            try FileManager.default.removeItem(atPath: #require(store.externalValues).path(of: ExternalValueWriter.reference(to: lost)))
        }
        let report = try run("Old.store", in: place).report
        #expect(report.notes.contains(.missingExternalFile(property: "Photo.image", count: 1, rows: [])))
        let store = try open(place)
        #expect(try store.externalFaults(checkingContents: true).count == 1)
        let row = try #require(try store.connection.value("SELECT min(_pk) FROM Photo")?.integer)
        #expect(try store.row(at: RowKey(table: 0, key: row))?.attributes["image"] == .data(kept))
    }

    @Test func `a database of another kind is refused with the names of its tables`() throws {
        let place = try Workplace()
        try Connection(path: place.source + "/x", mode: .create).execute("CREATE TABLE cookies(a)")
        let error = #expect(throws: ImportError.self) { try run("x", in: place) }
        #expect(error?.description.contains("cookies") == true)
    }
}

extension Connection {
    fileprivate func integerFaults() throws -> [String] {
        try integrityFaults() + rows("PRAGMA foreign_key_check") { "\($0.values())" }
    }
}
