import Foundation
import Glibc
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// External values of projected rows: beside the local store when a generation is seen, gone when nobody can need them.
@Suite struct ExternalProjectionTests {
    private static let gallery: [Entity] = [
        Entity(
            "Photo",
            attributes: [Attribute("title", .string, isOptional: true), Attribute("image", .data, isOptional: true, isExternal: true)])
    ]
    private static let photos = [Projection("Photo")]
    private static let value = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    private static let other = Data((0..<250_000).map { UInt8(truncatingIfNeeded: $0 &* 3) })

    private let fixture: GroupFixture
    init() throws { fixture = try GroupFixture(Self.gallery) }

    private func put(_ name: String, _ image: Data?) throws {
        try fixture.store.write {
            _ = try fixture.store.put("Photo", name: .text(name), RowEdit(attributes: ["image": image.map(PropertyValue.data) ?? .null]))
        }
    }

    private func path(_ value: Data) -> String {
        "\(fixture.path("group"))/.Local_SUPPORT/\(ExternalValueWriter.reference(to: value).fileName)"
    }

    private func exists(_ value: Data) -> Bool { access(path(value), F_OK) == 0 }

    private func images() throws -> [PropertyValue?] {
        try fixture.container().read { try $0.rows(of: "Photo").map { $0.attributes["image"] } }
    }

    /// Nothing is older than an hour by itself.
    private func age() throws {
        let folder = URL(filePath: "\(fixture.path("group"))/.Local_SUPPORT")
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? .init() {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: file.path)
        }
    }

    @Test func `a helper reads the value as soon as it sees the row, in a new store and in the next generation`() throws {
        let writer = try fixture.writer(Self.photos)
        try put("a", Self.value)
        try writer.update(from: fixture.store)
        #expect(try images() == [.data(Self.value)])
        try put("b", Self.other)
        #expect(try writer.update(from: fixture.store).rebuild == nil)
        #expect(try images() == [.data(Self.value), .data(Self.other)])
        var status = stat()
        #expect(stat(path(Self.value), &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(stat("\(fixture.path("group"))/.Local_SUPPORT", &status) == 0 && status.st_mode & 0o7777 == 0o2750)
        // The synced store's own file is no less private for it.
        let own = try #require(fixture.store.externalValues).path(of: ExternalValueWriter.reference(to: Self.value))
        #expect(stat(own, &status) == 0 && status.st_nlink == 1)
    }

    @Test func `only what is projected is copied, and only what is asked for is read`() throws {
        try put("a", Self.value)
        try fixture.writer([Projection("Photo", fields: ["title"])]).update(from: fixture.store)
        #expect(!exists(Self.value))
        try fixture.writer(Self.photos).update(from: fixture.store)
        unlink(path(Self.value))
        let titles = try fixture.container().read { try $0.rows(of: "Photo", attributes: ["title"]) }
        #expect(titles.map(\.attributes) == [["title": .null]])
        #expect(try fixture.container().read { try $0.row(named: .text("a"), attributes: []) }?.attributes == [:])
    }

    @Test func `a file that is missing is named as damage, never read as nil`() throws {
        try put("a", Self.value)
        try fixture.writer(Self.photos).update(from: fixture.store)
        unlink(path(Self.value))
        let error = #expect(throws: ReaderError.self) { try images() }
        #expect(error == .damaged(path: path(Self.value), reason: "the value of Photo.image of record a, which is missing"))
        #expect(error?.exitStatus == 65)
    }

    @Test func `a value that no store needs goes two looks and an hour later, whatever a helper had read`() throws {
        let writer = try fixture.writer(Self.photos)
        try put("a", Self.value)
        try writer.update(from: fixture.store)
        try put("a", Self.other)
        try writer.update(from: fixture.store)
        try age()
        let now = Date()
        #expect(try writer.collectExternalValues(from: fixture.store, at: now) == 0)
        #expect(try writer.collectExternalValues(from: fixture.store, at: now.addingTimeInterval(3_000)) == 0)
        #expect(exists(Self.value))
        #expect(try writer.collectExternalValues(from: fixture.store, at: now.addingTimeInterval(3_700)) == 1)
        #expect(!exists(Self.value) && exists(Self.other))
        #expect(try images() == [.data(Self.other)])
    }

    @Test func `an old store that a helper still reads keeps its values`() throws {
        let writer = try fixture.writer(Self.photos)
        try put("a", Self.value)
        try writer.update(from: fixture.store)
        try fixture.container().read(limit: .seconds(300)) { snapshot in
            _ = try snapshot.count(of: "Photo")
            try put("a", nil)
            try writer.rebuild(from: fixture.store)
            #expect(writer.retiredStores.count == 1)
            try age()
            for hours in 0..<4 {
                let now = Date().addingTimeInterval(Double(hours) * 3_700)
                #expect(try writer.collectExternalValues(from: fixture.store, at: now) == 0)
            }
            #expect(try snapshot.rows(of: "Photo").map { $0.attributes["image"] } == [.data(Self.value)])
        }
        try writer.sweep()
        #expect(try writer.collectExternalValues(from: fixture.store, at: Date().addingTimeInterval(20_000)) == 0)
        #expect(try writer.collectExternalValues(from: fixture.store, at: Date().addingTimeInterval(24_000)) == 1)
        #expect(!exists(Self.value))
    }

    @Test func `R3: files of three deleted rows stay until their reader ends, and a save that is rolled back leaves none`() throws {
        let values = (1...3).map { number in Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* number) }) }
        let writer = try fixture.writer(Self.photos)
        try put("kept", nil)
        struct RolledBack: Error {}
        #expect(throws: RolledBack.self) {
            try fixture.store.write {
                for (index, value) in values.enumerated() {
                    _ = try fixture.store.put("Photo", name: .text("\(index)"), RowEdit(attributes: ["image": .data(value)]))
                }
                throw RolledBack()
            }
        }
        try writer.update(from: fixture.store)
        #expect(values.allSatisfy { !exists($0) })
        for (index, value) in values.enumerated() { try put("\(index)", value) }
        try writer.update(from: fixture.store)
        #expect(values.allSatisfy(exists))
        try fixture.container().read(limit: .seconds(300)) { snapshot in
            _ = try snapshot.count(of: "Photo")
            try fixture.store.write { for index in values.indices { _ = try fixture.store.delete(.text("\(index)")) } }
            try writer.update(from: fixture.store)
            try age()
            // A read lasts five minutes at most, and a file stays an hour.
            for minutes in [0, 2, 5] {
                #expect(try writer.collectExternalValues(from: fixture.store, at: Date(timeIntervalSinceNow: Double(minutes) * 60)) == 0)
            }
            let images = try snapshot.rows(of: "Photo").map { $0.attributes["image"] }
            #expect(images == [.null] + values.map(PropertyValue.data))
        }
        #expect(try writer.collectExternalValues(from: fixture.store, at: Date(timeIntervalSinceNow: 4_000)) == 3)
        #expect(values.allSatisfy { !exists($0) })
        #expect(try images() == [.null])
    }

    @Test func `a file that went from the container is put back, and one that is lost here keeps no row away`() throws {
        let writer = try fixture.writer(Self.photos)
        try put("a", Self.value)
        try writer.update(from: fixture.store)
        unlink(path(Self.value))
        _ = try writer.collectExternalValues(from: fixture.store)
        #expect(try images() == [.data(Self.value)])
        try put("b", Self.other)
        unlink(try #require(fixture.store.externalValues).path(of: ExternalValueWriter.reference(to: Self.other)))
        try writer.update(from: fixture.store)
        #expect(try fixture.container().read { try $0.count(of: "Photo") } == 2)
        #expect(throws: ReaderError.self) { try images() }
        #expect(try fixture.container().read { try $0.row(named: .text("a")) }?.attributes["image"] == .data(Self.value))
    }
}
