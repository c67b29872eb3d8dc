import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Values that lie in files beside the store travel as bytes, like any others.
@Suite struct ExternalValueSyncTests {
    private static let gallery: [Entity] = [
        Entity(
            "Photo",
            attributes: [Attribute("title", .string, isOptional: true), Attribute("image", .data, isOptional: true, isExternal: true)])
    ]

    private static func bytes(_ count: Int, _ seed: UInt8) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ seed }) }

    private let pair: DevicePair
    private let first = bytes(600_000, 1)
    private let second = bytes(400_000, 2)

    init() throws { pair = try DevicePair(Self.gallery) }

    private func image(_ device: DeviceDouble, _ name: String = "P") throws -> PropertyValue? {
        try pair.row(device, name)?.attributes["image"]
    }

    private func cell(_ device: DeviceDouble, _ name: String = "P") throws -> String? {
        try device.store.connection.value("SELECT image FROM Photo WHERE _id = ?", [.text(name)])?.text
    }

    private func file(_ device: DeviceDouble, _ value: Data) throws -> String {
        try #require(device.store.externalValues).path(of: ExternalValueWriter.reference(to: value))
    }

    @Test func `two devices sync a large value, each in a file of its own, with equal digests`() throws {
        try pair.put(pair.a, "Photo", "P", ["image": .data(first)])
        try pair.settle()
        #expect(try image(pair.b) == .data(first))
        #expect(try cell(pair.b) == ExternalValueWriter.reference(to: first).text)
        #expect(try cell(pair.b) == cell(pair.a))
        // Back into the column, and to nil.
        try pair.put(pair.b, "Photo", "P", ["image": .data(Data([1]))])
        try pair.settle()
        #expect(try image(pair.a) == .data(Data([1])))
        try pair.put(pair.a, "Photo", "P", ["image": .null])
        try pair.settle()
        #expect(try image(pair.b) == .null)
    }

    @Test func `an edit that one side alone made is taken, because the old value in the log is the base`() throws {
        try pair.put(pair.a, "Photo", "P", ["title": .string("t"), "image": .data(first)])
        try pair.settle()
        // Both edit the record, and each another field; the service has the base's image when b comes with its own.
        try pair.put(pair.a, "Photo", "P", ["title": .string("a's")])
        try pair.put(pair.b, "Photo", "P", ["image": .data(second)])
        try pair.settle()
        for device in [pair.a, pair.b] {
            #expect(try image(device) == .data(second))
            #expect(try pair.row(device, "P")?.attributes["title"] == .string("a's"))
        }
    }

    @Test func `two edits of one large value are decided by their stamps`() throws {
        try pair.put(pair.a, "Photo", "P", ["image": .data(first)])
        try pair.settle()
        try pair.put(pair.a, "Photo", "P", ["image": .data(second)])
        pair.pass(60_000)
        let later = Self.bytes(300_000, 3)
        try pair.put(pair.b, "Photo", "P", ["image": .data(later)])
        try pair.settle()
        #expect(try image(pair.a) == .data(later))
        #expect(try image(pair.b) == .data(later))
    }

    @Test func `an edit of another property is sent without reading the file`() throws {
        try pair.put(pair.a, "Photo", "P", ["title": .string("before"), "image": .data(first)])
        try pair.settle()
        try FileManager.default.removeItem(atPath: file(pair.a, first))
        try pair.put(pair.a, "Photo", "P", ["title": .string("after")])
        try pair.a.sync()
        try pair.b.sync()
        #expect(try pair.row(pair.b, "P")?.attributes["title"] == .string("after"))
        #expect(try image(pair.b) == .data(first))
    }

    @Test func `a lost file sets its own record aside, with the reason, and keeps no other from being sent`() throws {
        try pair.put(pair.a, "Photo", "P", ["image": .data(first)])
        try pair.put(pair.a, "Photo", "Q", ["image": .data(second)])
        let lost = try file(pair.a, first)
        try FileManager.default.removeItem(atPath: lost)
        try pair.a.sync()
        #expect(pair.live("Photo") == ["Q"])
        let aside = try pair.a.store.setAsideRecords(limit: 10)
        #expect(aside.map(\.name) == [.text("P")])
        #expect(aside.first?.reason.contains(lost) == true && aside.first?.reason.contains("Photo.image") == true)
        // Set again the value is whole, though nothing changed that the log would tell of; a person lets the record go on.
        try pair.put(pair.a, "Photo", "P", ["image": .data(first)])
        try pair.a.store.retry(.text("P"))
        try pair.settle()
        #expect(try image(pair.b) == .data(first))
    }

    @Test func `a record that comes again mends a lost file, and a value that was cleared elsewhere is cleared`() throws {
        for name in ["P", "Q"] { try pair.put(pair.a, "Photo", name, ["image": .data(name == "P" ? first : second)]) }
        try pair.settle()
        for value in [first, second] { try FileManager.default.removeItem(atPath: file(pair.a, value)) }
        try pair.put(pair.b, "Photo", "P", ["title": .string("new")])
        try pair.put(pair.b, "Photo", "Q", ["image": .null])
        try pair.settle()
        #expect(try image(pair.a) == .data(first))
        #expect(try image(pair.a, "Q") == .null)
    }

    @Test func `a value that no record can carry stays here and is shown`() throws {
        let huge = Self.bytes(1 << 20, 4)
        try pair.put(pair.a, "Photo", "P", ["image": .data(huge)])
        try pair.put(pair.a, "Photo", "Q", ["title": .string("small")])
        try pair.a.sync()
        #expect(pair.live("Photo") == ["Q"])
        #expect(try pair.a.store.setAsideRecords(limit: 10).map(\.name) == [.text("P")])
        #expect(try image(pair.a) == .data(huge))
    }
}
