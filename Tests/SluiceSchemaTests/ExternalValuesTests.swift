import FoundationEssentials
import Glibc
import SluiceDigest
import SluiceSQLite
import Testing

@testable import SluiceSchema

@Suite struct ExternalValuesTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    /// A folder of external values in a folder of its own, with one value in it.
    private final class Place {
        let folder: String
        let values: ExternalValues
        let value = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let reference: ExternalReference

        init() throws {
            folder = FileManager.default.temporaryDirectory.path + "/sluice-\(UUID().uuidString)"
            values = try #require(ExternalValues(besideStore: folder + "/Private.store"))
            reference = ExternalReference(digest: Digest.sha256(value).hexadecimal, byteCount: value.count)
            let path = values.path(of: reference)
            try FileManager.default.createDirectory(
                atPath: String(path.dropLast(reference.digest.count)), withIntermediateDirectories: true)
            try value.write(to: URL(filePath: path))
        }

        deinit {
            // The system's temporary directory is emptied anyway.
            try? FileManager.default.removeItem(atPath: folder)
        }

        var path: String { values.path(of: reference) }
    }

    @Test func `a reference is text that a person can read, and reads back`() throws {
        let reference = ExternalReference(digest: Self.digest, byteCount: 1_048_576)
        #expect(reference.text == "external:\(Self.digest):1048576")
        #expect(ExternalReference(reference.text) == reference)
        #expect(reference.fileName == "01/\(Self.digest)")
    }

    @Test(arguments: [
        "", "external:", "external:\(digest)", "external:\(digest):", "external:\(digest):-1", "external:\(digest):+1",
        "external:\(digest):01", "external:\(digest):1 ", "external:\(digest.uppercased()):1", "external:\(digest.dropLast()):1",
        "external:\(digest)0:1",
        "external:../../../../../../../../../../../../../../../../../../etc/passwd/:1", "External:\(digest):1", " external:\(digest):1",
        "external:\(digest):99999999999999999999",
    ])
    func `any other text is no reference, and leads nowhere`(text: String) {
        #expect(ExternalReference(text) == nil)
    }

    @Test func `the folder is called like the store, and numbered local stores share one`() {
        let names = [
            "Private.store", "Notes.sqlite", "my.notes.store", "Local.1.store", "Local.27.store", "Local.x.store", "plain", ".store",
        ]
        #expect(
            names.map(ExternalValues.folderName) == [
                ".Private_SUPPORT", ".Notes_SUPPORT", ".my.notes_SUPPORT", ".Local_SUPPORT", ".Local_SUPPORT", ".Local.x_SUPPORT",
                ".plain_SUPPORT", "..store_SUPPORT",
            ])
        #expect(ExternalValues(besideStore: "/nowhere/at all/Notes.store")?.folder == "/nowhere/at all/.Notes_SUPPORT")
        #expect(ExternalValues(besideStore: "Notes.store")?.folder == ".Notes_SUPPORT")
        #expect(ExternalValues(besideStore: ":memory:") == nil)
        #expect(ExternalValues(besideStore: "") == nil)
    }

    @Test func `a link to a store leads to the folder beside the store`() throws {
        let place = try Place()
        try Data().write(to: URL(filePath: place.folder + "/Private.store"))
        #expect(symlink(place.folder + "/Private.store", place.folder + "/Link.store") == 0)
        #expect(try ExternalValues(besideStore: place.folder + "/Link.store")?.read(place.reference) == place.value)
    }

    @Test func `a value is read from its file, and a column that holds bytes is the value`() throws {
        let place = try Place()
        #expect(try place.values.read(place.reference) == place.value)
        for type in [AttributeType.data, .codable, .transformable] {
            #expect(
                try PropertyValue(stored: .text(place.reference.text), as: type, external: place.values) == .data(place.value))
            #expect(try PropertyValue(stored: .blob(Data([1])), as: type, external: place.values) == .data(Data([1])))
            #expect(try PropertyValue(stored: .null, as: type, external: place.values) == .null)
        }
        // A text is a text, whatever it reads like.
        #expect(
            try PropertyValue(stored: .text(place.reference.text), as: .string, external: place.values) == .string(place.reference.text))
        #expect(try PropertyValue(stored: .text("typed by hand"), as: .data, external: place.values) == .null)
    }

    @Test func `a file that is missing, cut off, too long or no file is a fault, never another value`() throws {
        let place = try Place()
        func reason() -> ExternalValueFault.Reason? {
            do throws(ExternalValueFault) {
                _ = try place.values.read(place.reference)
                return nil
            } catch {
                #expect(error.path == place.path)
                #expect(place.values.fault(of: place.reference)?.reason == error.reason)
                return error.reason
            }
        }
        #expect(reason() == nil)
        #expect(truncate(place.path, 10) == 0)
        #expect(reason() == .otherSize(expected: 200_000, found: 10))
        try (place.value + [0]).write(to: URL(filePath: place.path))
        #expect(reason() == .otherSize(expected: 200_000, found: 200_001))
        #expect(unlink(place.path) == 0)
        #expect(reason() == .missing)
        #expect(mkdir(place.path, 0o700) == 0)
        #expect(reason() == .missing)
        #expect(rmdir(place.path) == 0 && mkfifo(place.path, 0o600) == 0)
        #expect(reason() == .missing)
    }

    @Test func `a fault says whose value it is, where it lies and what to do`() throws {
        let place = try Place()
        unlink(place.path)
        let fault = try #require(place.values.fault(of: place.reference)).of("image", in: "Photo", record: RecordName("P-1"))
        #expect(
            "\(fault)" == "the value of Photo.image of record P-1 lies in \(place.path), which is missing: "
                + "restore it from a backup, or set the property again")
        let text = place.reference.text
        let homeless = #expect(throws: ExternalValueFault.self) { try PropertyValue(stored: .text(text), as: .data, external: nil) }
        #expect(homeless?.reason == .noFolder)
    }
}
