import Foundation
import SluiceSchema
import Testing

@testable import SluiceConfiguration

@Suite struct ReleaseDisciplineTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/shop" }

    init() throws {
        folder = try TemporaryFolder()
        try write("1.0.0", "")
        try write("2.0.0", "      note: string?\n", migration: "migration:\n  after:\n    - {entity: Item, set: {note: name}}\n")
        var discipline = try ReleaseDiscipline(released: path, isRecording: true)
        #expect(discipline.faults.isEmpty)
        #expect(try discipline.record() == [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0)])
    }

    private func write(_ version: String, _ attributes: String, migration: String = "", comment: String = "") throws {
        try folder.write(
            "shop/\(version).yaml", comment + "entities:\n  Item:\n    attributes:\n      name: string\n" + attributes + migration)
    }

    private func faults(_ current: String? = nil) throws -> [String] {
        try ReleaseDiscipline(released: path, current: current).faults.map { $0.description.replacing(path + "/", with: "") }
    }

    @Test func `what was released and stays has no fault, whatever its comments say`() throws {
        #expect(try faults() == [])
        try write("1.0.0", "", comment: "# a comment\n\n")
        #expect(try faults() == [])
    }

    @Test func `an edited version is found, shape and migration each`() throws {
        try write("1.0.0", "      extra: int16?\n", migration: "")
        let shape = try faults()
        #expect(shape.contains { $0.hasPrefix("1.0.0.yaml:1:1: found another shape than version 1.0.0 was released with") })
        try write("1.0.0", "")
        try write("2.0.0", "      note: string?\n", migration: "migration:\n  after:\n    - {entity: Item, set: {note: upper(name)}}\n")
        #expect(
            try faults() == [
                "2.0.0.yaml:7:3: found another migration than version 2.0.0 was released with; expected the released one, because some stores have "
                    + "gone through it; and what is missing in a new version"
            ])
        try write("2.0.0", "      note: string?\n")
        #expect(try faults().count == 1)
    }

    @Test func `a released version whose file is gone is found, at its line`() throws {
        try FileManager.default.removeItem(atPath: path + "/1.0.0.yaml")
        #expect(try faults().contains { $0.hasPrefix("released.sums:2:1: found version 1.0.0, of which there is no file") })
    }

    @Test func `the newest version may be to come, any other has to be noted`() throws {
        try write("3.0.0", "      note: string?\n      rank: int16?\n")
        #expect(try faults() == [])
        try write("4.0.0", "      note: string?\n      rank: int16?\n      more: int16?\n")
        let found = try faults()
        #expect(found.count == 1 && found[0].hasPrefix("3.0.0.yaml:1:1: found a released version that"))
    }

    @Test func `noting again changes nothing that is noted`() throws {
        let before = try String(contentsOfFile: path + "/released.sums", encoding: .utf8)
        try write("1.0.0", "      extra: int16?\n")
        var discipline = try ReleaseDiscipline(released: path, isRecording: true)
        #expect(!discipline.faults.isEmpty)
        #expect(try discipline.record() == [])
        #expect(try String(contentsOfFile: path + "/released.sums", encoding: .utf8) == before)
    }

    @Test func `a version to come from elsewhere is compared with all that were released`() throws {
        func current(_ version: String, _ attributes: String) throws -> String {
            try folder.write(
                "new/\(version).yaml",
                "schema: shop\nversion: \(version)\nentities:\n  Item:\n    attributes:\n      name: string\n" + attributes)
        }
        #expect(try faults(current("3.0.0", "      note: string?\n      rank: int16?\n")) == [])
        #expect(try faults(current("2.0.0", "      note: string?\n")) == [])
        #expect(
            try faults(current("2.0.0", "      nte: string?\n")).first?.contains("another shape than that of the released version 2.0.0")
                == true)
        let rename = try faults(current("3.0.0", "      comment: string?\n"))
        #expect(rename.count == 1 && rename[0].contains("`wireName: note` at comment"))
        #expect(try faults(current("3.0.0", "")).first?.contains("the shape of version 1.0.0") == true)
        #expect(try faults(current("3.0.0", "      note: string?\n      rank: int16\n")).first?.contains("`default:`") == true)
    }

    @Test(arguments: [
        "1.0.0 x y", "1.0.0", "one " + String(repeating: "a", count: 64) + " -", "\u{0}", "1.0.0 \(String(repeating: "A", count: 64)) -",
    ])
    func `a list of sums that is none is refused with its line`(line: String) throws {
        try folder.write("shop/released.sums", "# comment\n\(line)\n")
        let error = #expect(throws: ConfigurationError.self) { try ReleaseDiscipline(released: path) }
        #expect(error?.faults.first?.line == 2)
    }
}
