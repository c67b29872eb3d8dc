import Foundation

/// The first 100 bytes of a SQLite database (https://www.sqlite.org/fileformat2.html, section 1.3), read without SQLite.
struct DatabaseHeader: Hashable {
    static let byteCount = 100

    let pageSize: Int
    /// 1 for a rollback journal, 2 for a write-ahead log; written and read version.
    let journalVersions: [UInt8]
    let changeCounter: UInt32
    /// Valid only where `pageCountIsValid`.
    let pageCount: Int
    let pageCountIsValid: Bool
    let schemaCookie: UInt32
    let textEncoding: UInt32

    /// - Parameter bytes: the file's beginning, or a copy of its first page.
    /// Nil where they are no header.
    init?(_ bytes: Data) {
        let bytes = Data(bytes.prefix(Self.byteCount))
        guard bytes.count == Self.byteCount, bytes.prefix(16) == Data("SQLite format 3\0".utf8) else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65_536 : size
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else { return nil }
        journalVersions = [bytes[18], bytes[19]]
        changeCounter = bytes.bigEndian(at: 24)
        pageCount = Int(bytes.bigEndian(at: 28))
        pageCountIsValid = pageCount > 0 && changeCounter == bytes.bigEndian(at: 92)
        schemaCookie = bytes.bigEndian(at: 40)
        textEncoding = bytes.bigEndian(at: 56)
    }

    /// Whether the beginning of a file is no header, and was one: most of what never changes in one is there. At 16 stands the page size, at 21
    /// the payload fractions 64, 32, 32, at 100 the kind of the first b-tree page.
    static func isDamaged(_ bytes: Data, fileByteCount: Int) -> Bool {
        let bytes = Data(bytes.prefix(byteCount + 8))
        guard bytes.count == byteCount + 8 else { return false }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        let signs = [
            bytes.prefix(16) == Data("SQLite format 3\0".utf8),
            size >= 512 && size & (size - 1) == 0 && fileByteCount % size == 0,
            bytes[21..<24].elementsEqual([64, 32, 32]),
            [0x05, 0x0D].contains(bytes[100]) && bytes[107] == 0,
        ]
        return signs.count { $0 } >= 2
    }

    var usesWriteAheadLog: Bool { journalVersions == [2, 2] }

    /// What the header says about the file's size; nil where it does not say.
    var expectedByteCount: Int? { pageCountIsValid ? pageCount * pageSize : nil }
}

extension Data {
    /// Four bytes, most significant first. `self` must start at index 0 and hold them.
    func bigEndian(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
