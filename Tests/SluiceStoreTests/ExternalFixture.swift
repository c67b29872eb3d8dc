import Foundation
import SluiceSchema
import SluiceSQLite

@testable import SluiceStore

extension [Entity] {
    /// Photos whose images lie in files where they are large.
    static let gallery: [Entity] = [
        Entity(
            "Photo",
            attributes: [
                Attribute("title", .string, isOptional: true), Attribute("image", .data, isOptional: true, isExternal: true),
                Attribute("raw", .transformable, isOptional: true, isExternal: true),
                Attribute("note", .string, isOptional: true, isExternal: true),
                Attribute("thumbnail", .data, isOptional: true),
            ])
    ]
}

extension Data {
    /// Bytes that differ with the seed.
    static func sample(_ count: Int, _ seed: UInt8 = 1) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }) }

    static let limit = ExternalReference.inlineByteCountMax
}

extension StoreFixture {
    var support: URL { folder.appending(path: ".Private_SUPPORT") }

    /// Every file in the folder of external values, by its path inside.
    var externalFiles: [String] {
        let found = FileManager.default.enumerator(atPath: support.path)?.compactMap { $0 as? String } ?? []
        return found.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: support.appending(path: path).path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    func externalPath(of value: Data) -> String { support.appending(path: ExternalValueWriter.reference(to: value).fileName).path }

    @discardableResult
    func putPhoto(_ name: String, _ attributes: [String: PropertyValue]) throws -> Store.PutOutcome {
        try store.write { try store.put("Photo", name: .text(name), RowEdit(attributes: attributes)).outcome }
    }

    func image(_ name: String) throws -> PropertyValue? { try store.storedRow(named: .text(name))?.attributes["image"] }

    /// What the column holds.
    func cell(_ name: String, _ column: String = "image") throws -> SQLiteValue? {
        try store.connection.value("SELECT \(column) FROM Photo WHERE _id = ?", [.text(name)])
    }

    /// Two hours pass.
    func age() { clock.now = max(clock.now, Date()).addingTimeInterval(7_200) }
}
