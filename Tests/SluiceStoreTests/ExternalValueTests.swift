import Foundation
import SluiceSchema
import SluiceSQLite
import Testing

@testable import SluiceStore

@Suite struct ExternalValueTests {
    @Test func `a value above the limit lies in a file, one at the limit in the column, and both read back`() throws {
        let fixture = try StoreFixture(.gallery)
        let (small, large) = (Data.sample(Data.limit), Data.sample(Data.limit + 1))
        try fixture.putPhoto("small", ["image": .data(small), "thumbnail": .data(large)])
        try fixture.putPhoto("large", ["image": .data(large), "raw": .data(small), "note": .string(String(repeating: "x", count: 300_000))])
        #expect(try fixture.cell("small") == .blob(small))
        // Not external, so in its column whatever its size; and only bytes lie in files.
        #expect(try fixture.cell("small", "thumbnail") == .blob(large))
        #expect(try fixture.cell("large", "note")?.text?.count == 300_000)
        let reference = ExternalValueWriter.reference(to: large)
        #expect(try fixture.cell("large") == .text("external:\(reference.digest):131073"))
        #expect(fixture.externalFiles == [reference.fileName])
        #expect(try Data(contentsOf: URL(filePath: fixture.externalPath(of: large))) == large)
        #expect(try fixture.image("small") == .data(small))
        #expect(try fixture.image("large") == .data(large))
    }

    @Test func `writing the same value again changes nothing, logs nothing and writes no file`() throws {
        let fixture = try StoreFixture(.gallery)
        let value = Data.sample(200_000)
        try fixture.putPhoto("a", ["image": .data(value)])
        let (position, inode) = (try fixture.store.lastChange(), try self.inode(fixture.externalPath(of: value)))
        #expect(try fixture.putPhoto("a", ["image": .data(value)]) == .unchanged)
        #expect(try fixture.store.lastChange() == position)
        #expect(try self.inode(fixture.externalPath(of: value)) == inode)
        // Equal values of two rows share the file.
        try fixture.putPhoto("b", ["image": .data(value), "raw": .data(value)])
        #expect(fixture.externalFiles.count == 1)
        #expect(try fixture.image("b") == .data(value))
    }

    @Test func `an update goes from file to file, back into the column, and to nil; old values stay readable in the log`() throws {
        let fixture = try StoreFixture(.gallery)
        let (first, second) = (Data.sample(200_000, 1), Data.sample(300_000, 2))
        try fixture.putPhoto("a", ["image": .data(first)])
        try fixture.putPhoto("a", ["image": .data(second)])
        let replaced = try fixture.store.lastChange()
        #expect(try fixture.image("a") == .data(second))
        try fixture.putPhoto("a", ["image": .data(Data([1]))])
        #expect(try fixture.cell("a") == .blob(Data([1])))
        try fixture.putPhoto("a", ["image": .null])
        #expect(try fixture.image("a") == .null)
        let table = try #require(fixture.store.layout.tableIndex(named: "Photo"))
        let column = try #require(fixture.store.layout.tables[table].columns.firstIndex { $0.name == "image" })
        let attribute = try #require(fixture.store.layout.tables[table].columns[column].attribute)
        let old = try #require(try fixture.store.oldValue(table: table, column: column, at: replaced))
        #expect(try fixture.store.property(old, of: attribute) == .data(first))
        #expect(fixture.externalFiles.count == 2)
    }

    @Test func `a store in memory keeps everything in its columns`() throws {
        let schema = try Schema(name: "test", validating: [Entity].gallery)
        let store = try Store(path: Store.memoryPath, schema: schema, options: Store.Options(zone: "test"))
        let value = Data.sample(500_000)
        try store.write { try store.put("Photo", name: .text("a"), RowEdit(attributes: ["image": .data(value)])) }
        #expect(store.externalValues == nil)
        #expect(try store.connection.value("SELECT image FROM Photo") == .blob(value))
        #expect(try store.storedRow(named: .text("a"))?.attributes["image"] == .data(value))
        #expect(try store.collectExternalValues() == 0)
    }

    @Test func `a missing file is an error that names the record and its property, and other rows and properties are read`() throws {
        let fixture = try StoreFixture(.gallery)
        let value = Data.sample(200_000)
        try fixture.putPhoto("lost", ["title": .string("t"), "image": .data(value)])
        try fixture.putPhoto("kept", ["image": .data(Data.sample(200_000, 2))])
        try FileManager.default.removeItem(atPath: fixture.externalPath(of: value))
        let fault = #expect(throws: ExternalValueFault.self) { try fixture.image("lost") }
        #expect(fault?.entity == "Photo" && fault?.attribute == "image" && fault?.record == .text("lost") && fault?.reason == .missing)
        #expect(try fixture.image("kept") != .null)
        let row = try #require(try fixture.store.row(named: .text("lost")))
        #expect(try fixture.store.row(at: row, attributes: ["title"])?.attributes == ["title": .string("t")])
        var faults: [ExternalValueFault] = []
        let found = try fixture.store.row(at: row) { faults.append($0) }
        #expect(found?.attributes["image"] == .null && faults == [fault])
    }

    @Test(arguments: [200_000, 199_999])
    func `setting a damaged value again mends it`(byteCount: Int) throws {
        let fixture = try StoreFixture(.gallery)
        let value = Data.sample(200_000)
        try fixture.putPhoto("a", ["image": .data(value)])
        try Data(repeating: 0, count: byteCount).write(to: URL(filePath: fixture.externalPath(of: value)))
        let faults = try fixture.store.externalFaults(checkingContents: true)
        #expect(faults.map(\.record) == [.text("a")])
        #expect(faults.first?.reason == (byteCount == 200_000 ? .otherContents : .otherSize(expected: 200_000, found: byteCount)))
        #expect(try fixture.store.externalFaults(checkingContents: false).count == (byteCount == 200_000 ? 0 : 1))
        try fixture.putPhoto("a", ["image": .data(value)])
        #expect(try fixture.image("a") == .data(value))
        #expect(try fixture.store.externalFaults(checkingContents: true).isEmpty)
    }

    @Test(arguments: [
        (0o700, 0o644, 0o600, 0o700), (0o750, 0o640, 0o640, 0o750), (0o755, 0o600, 0o600, 0o700), (0o2775, 0o664, 0o664, 0o2775),
    ])
    func `files are open to whoever may read the store, and to nobody else`(directory: Int, store: Int, file: Int, folder: Int) throws {
        let fixture = try StoreFixture(.gallery)
        chmod(fixture.folder.path, mode_t(directory))
        chmod(fixture.store.path, mode_t(store))
        let value = Data.sample(200_000)
        try fixture.putPhoto("a", ["image": .data(value)])
        let path = fixture.externalPath(of: value)
        #expect(try mode(path) == file)
        #expect(try mode(fixture.support.path) == folder)
        #expect(try mode(URL(filePath: path).deletingLastPathComponent().path) == folder)
    }

    @Test func `uniqueness holds by the value, wherever it lies`() throws {
        let fixture = try StoreFixture([
            Entity(
                "Key", attributes: [Attribute("bytes", .data, isExternal: true), Attribute("n", .int64, isOptional: true)],
                uniqueness: [["bytes"]])
        ])
        let store = fixture.store
        let value = PropertyValue.data(.sample(200_000))
        let first = try store.write { try store.put("Key", RowEdit(attributes: ["bytes": value, "n": .integer(1)])) }
        let second = try store.write { try store.put("Key", RowEdit(attributes: ["bytes": value, "n": .integer(2)])) }
        #expect(second.name == first.name && second.outcome == .updated)
        _ = try store.write { try store.put("Key", RowEdit(attributes: ["bytes": .data(.sample(200_000, 2))])) }
        #expect(try store.count(of: store.concreteEntity("Key")) == 2)
    }

    @Test func `a disk that takes no file leaves the row as it was`() throws {
        let fixture = try StoreFixture(.gallery)
        try fixture.putPhoto("a", ["image": .data(Data([1]))])
        // Where the folder would be there is a file.
        try Data().write(to: fixture.support)
        let failure = #expect(throws: ExternalWriteFailure.self) { try fixture.putPhoto("a", ["image": .data(.sample(200_000))]) }
        #expect(failure?.path.hasPrefix(fixture.support.path) == true)
        #expect(try fixture.image("a") == .data(Data([1])))
        #expect(try fixture.putPhoto("a", ["title": .string("x")]) == .updated)
    }

    private func inode(_ path: String) throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int }

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return Int(status.st_mode & 0o7777)
    }
}
