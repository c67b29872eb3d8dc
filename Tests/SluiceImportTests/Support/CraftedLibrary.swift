import Foundation
import SluiceSQLite

/// A store in Core Data's layout that has one of everything: a hierarchy in one table, composites in composites, enumerations with payloads,
/// values in files, ordered relationships, many-to-many with and without an order, to itself and without an inverse, a one-to-one, a
/// transformable, and rows that break their model's promises.
enum CraftedLibrary {
    static let name = "Library.sqlite"
    static let base = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    static let cover = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    static let coverFile = "0B1E7A52-93F1-4C0E-8D55-6B1D2A3C4E5F"

    static func make(in place: Workplace) throws -> CraftedFile {
        let crafted = try CraftedFile(
            place.source + "/" + name, model: model, entities: entities, tables: tables, identifier: "3F2C8E11-5D0B-4A6E-9C57-1E0F9A8B7C6D")
        try fill(crafted)
        let folder = place.source + "/.Library_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try cover.write(to: URL(fileURLWithPath: folder + "/" + coverFile))
        return crafted
    }

    private static let entities: [(Int64, String, Int64)] = [
        (1, "Book", 0), (2, "AudioBook", 1), (3, "Chapter", 0), (4, "Person", 0), (5, "Shelf", 0), (6, "Tag", 0),
    ]

    private static var model: [ModelWriter.Entity] {
        var size = ModelWriter.Property.attribute("size", 2100)
        var binding = ModelWriter.Property.attribute("binding", 2100)
        binding.elements = [.attribute("kind", 700), .attribute("year", 300)]
        size.elements = [.attribute("width", 500), .attribute("height", 500), binding]
        // Swift's `case lent(to: String, days: Int)` and `case shelved`: a column for each case.
        var state = ModelWriter.Property.attribute("state", 2100)
        state.elements = [.attribute("lent", 1000), .attribute("shelved", 700)]
        state.enumType = "Library.Book.State"
        return [
            .init(
                name: "Book",
                properties: [
                    .attribute("id", 1100, optional: false), .attribute("title", 700, optional: false), .attribute("price", 400),
                    .attribute("pages", 200), .attribute("isRead", 800), .attribute("added", 900), .attribute("shape", 1800),
                    .attribute("cover", 1000, flags: 4), size, state, .toOne("shelf", "Shelf", inverse: "books"),
                    .toMany("chapters", "Chapter", inverse: "book"), .toMany("tags", "Tag", inverse: "books"),
                    .toOne("author", "Person", inverse: "books"), .toOne("sequel", "Book", inverse: "prequel"),
                    .toOne("prequel", "Book", inverse: "sequel"),
                ], unique: [["id"]]),
            .init(name: "AudioBook", parent: "Book", properties: [.attribute("minutes", 300), .attribute("narrator", 700)]),
            .init(
                name: "Chapter",
                properties: [.attribute("title", 700), .attribute("number", 100), .toOne("book", "Book", inverse: "chapters")]),
            .init(
                name: "Person",
                properties: [
                    .attribute("name", 700), .toMany("books", "Book", inverse: "author"), .toMany("friends", "Person", inverse: "friends"),
                    .toMany("followers", "Person", inverse: "following"), .toMany("following", "Person", inverse: "followers"),
                ]),
            .init(name: "Shelf", properties: [.attribute("label", 700), .toMany("books", "Book", inverse: "shelf"), .toMany("pinned", "Tag")]),
            .init(name: "Tag", properties: [.attribute("label", 700), .toMany("books", "Book", inverse: "tags")]),
        ]
    }

    private static let tables = [
        """
        CREATE TABLE ZBOOK (\(base), ZISREAD INTEGER, ZPAGES INTEGER, ZAUTHOR INTEGER, ZPREQUEL INTEGER, Z1_PREQUEL INTEGER,
            ZSEQUEL INTEGER, Z1_SEQUEL INTEGER, ZSHELF INTEGER, Z_FOK_SHELF INTEGER, ZYEAR INTEGER, ZMINUTES INTEGER, ZADDED TIMESTAMP,
            ZHEIGHT FLOAT, ZPRICE DECIMAL, ZWIDTH FLOAT, ZKIND VARCHAR, ZSHELVED VARCHAR, ZTITLE VARCHAR, ZNARRATOR VARCHAR, ZCOVER BLOB,
            ZID BLOB, ZLENT BLOB, ZSHAPE BLOB)
        """,
        "CREATE TABLE ZCHAPTER (\(base), ZNUMBER INTEGER, ZBOOK INTEGER, Z_FOK_BOOK INTEGER, Z1_BOOK INTEGER, ZTITLE VARCHAR)",
        "CREATE TABLE ZPERSON (\(base), ZNAME VARCHAR)", "CREATE TABLE ZSHELF (\(base), ZLABEL VARCHAR)",
        "CREATE TABLE ZTAG (\(base), Z5PINNED INTEGER, ZLABEL VARCHAR)",
        "CREATE TABLE Z_1TAGS (Z_1BOOKS INTEGER, Z_6TAGS INTEGER, Z_FOK_6TAGS INTEGER, PRIMARY KEY (Z_1BOOKS, Z_6TAGS))",
        "CREATE TABLE Z_4FRIENDS (Z_4FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_4FRIENDS, REFLEXIVE))",
        "CREATE TABLE Z_4FOLLOWERS (Z_4FOLLOWERS INTEGER, Z_4FOLLOWING INTEGER, PRIMARY KEY (Z_4FOLLOWERS, Z_4FOLLOWING))",
        "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER)",
    ]

    private static func identifier(_ key: Int64) -> SQLiteValue { .blob(Data((0..<16).map { UInt8(truncatingIfNeeded: key * 40 + $0) })) }

    private static func fill(_ file: CraftedFile) throws {
        for (key, label) in [(1, "Fiction"), (2, "Trävel")] as [(Int64, SQLiteValue)] {
            try file.insert("ZSHELF", ["Z_PK": .integer(key), "Z_ENT": 5, "Z_OPT": 1, "ZLABEL": label])
        }
        for (key, name) in [(1, "Ada"), (2, "Ben"), (3, "Cy")] as [(Int64, SQLiteValue)] {
            try file.insert("ZPERSON", ["Z_PK": .integer(key), "Z_ENT": 4, "Z_OPT": 1, "ZNAME": name])
        }
        for (key, pin) in [(1, 2), (2, nil)] as [(Int64, Int64?)] {
            try file.insert(
                "ZTAG", ["Z_PK": .integer(key), "Z_ENT": 6, "Z_OPT": 1, "ZLABEL": .text("tag \(key)"), "Z5PINNED": pin.map(SQLiteValue.integer) ?? .null])
        }
        try file.insert(
            "ZBOOK",
            [
                "Z_PK": 1, "Z_ENT": 1, "Z_OPT": 3, "ZID": identifier(1), "ZTITLE": "Emma", "ZPRICE": .text("12.30"), "ZPAGES": 474, "ZISREAD": 1,
                "ZADDED": .real(700_000_000.25), "ZSHAPE": .blob(Data("bplist".utf8)), "ZCOVER": .blob(Data([2]) + Data(coverFile.utf8)),
                "ZWIDTH": .real(12.5), "ZHEIGHT": .real(18), "ZKIND": "cloth", "ZYEAR": 1815, "ZSHELVED": "shelved", "ZSHELF": 1,
                "Z_FOK_SHELF": 2_048, "ZAUTHOR": 1, "ZSEQUEL": 2, "Z1_SEQUEL": 2,
            ])
        try file.insert(
            "ZBOOK",
            [
                "Z_PK": 2, "Z_ENT": 2, "Z_OPT": 1, "ZID": identifier(2), "ZTITLE": "Émile", "ZMINUTES": 600, "ZNARRATOR": "Cy",
                "ZCOVER": .blob(Data([1, 9, 8, 7])), "ZLENT": .blob(Data(#"{"to":"Ben","days":3}"#.utf8)), "ZSHELF": 1, "Z_FOK_SHELF": 1_024,
                "ZPREQUEL": 1, "Z1_PREQUEL": 1, "ZAUTHOR": 2,
            ])
        try file.insert("ZBOOK", ["Z_PK": 3, "Z_ENT": 1, "Z_OPT": 1, "ZID": identifier(3), "ZTITLE": "Void", "ZSHELF": 2, "Z_FOK_SHELF": 1])
        for (key, book, position) in [(1, 1, 20), (2, 1, 10), (3, 2, 5)] as [(Int64, Int64, Int64)] {
            try file.insert(
                "ZCHAPTER",
                [
                    "Z_PK": .integer(key), "Z_ENT": 3, "Z_OPT": 1, "ZNUMBER": .integer(key), "ZTITLE": .text("chapter \(key)"),
                    "ZBOOK": .integer(book), "Z1_BOOK": book == 2 ? 2 : 1, "Z_FOK_BOOK": .integer(position),
                ])
        }
        for (book, tag, position) in [(1, 1, 7), (1, 2, 3), (2, 2, 1)] as [(Int64, Int64, Int64)] {
            try file.insert("Z_1TAGS", ["Z_1BOOKS": .integer(book), "Z_6TAGS": .integer(tag), "Z_FOK_6TAGS": .integer(position)])
        }
        try file.insert("Z_4FRIENDS", ["Z_4FRIENDS": 1, "REFLEXIVE": 2])
        try file.insert("Z_4FOLLOWERS", ["Z_4FOLLOWERS": 3, "Z_4FOLLOWING": 1])
        for change in 1...4 { try file.insert("ACHANGE", ["Z_PK": SQLiteValue(change), "ZCHANGETYPE": 0]) }
    }
}
