import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceImport

@Suite struct RelationshipReadingTests {
    private static let base = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    private func reference(_ entity: String, _ key: Int64, at position: Int64? = nil) -> LegacyReference {
        LegacyReference(entity: entity, primaryKey: key, position: position)
    }

    /// Animal ← Cat, Dog share a table; Owner has an ordered to-many of animals.
    private func animals(_ place: Workplace) throws -> CraftedFile {
        try CraftedFile(
            place.source + "/a.sqlite",
            model: [
                .init(
                    name: "Animal", isAbstract: true, properties: [.attribute("name", 700), .toOne("owner", "Owner", inverse: "animals")]),
                .init(name: "Cat", parent: "Animal", properties: [.attribute("color", 700), .toOne("best", "Animal")]),
                .init(name: "Dog", parent: "Animal", properties: [.attribute("color", 300)]),
                .init(name: "Owner", properties: [.toMany("animals", "Animal", inverse: "owner")]),
            ], entities: [(1, "Animal", 0), (2, "Cat", 1), (3, "Dog", 1), (4, "Owner", 0)],
            tables: [
                """
                CREATE TABLE ZANIMAL (\(Self.base), ZOWNER INTEGER, Z_FOK_OWNER INTEGER, ZBEST INTEGER, Z1_BEST INTEGER, ZCOLOR INTEGER,
                    ZNAME VARCHAR, ZCOLOR1 VARCHAR)
                """, "CREATE TABLE ZOWNER (\(Self.base))",
            ])
    }

    @Test func `rows of one table are read as the entity they are, with columns of their own for a shared property name`() throws {
        let place = try Workplace()
        let crafted = try animals(place)
        try crafted.insert("ZOWNER", ["Z_PK": 1, "Z_ENT": 4])
        try crafted.insert("ZANIMAL", ["Z_PK": 1, "Z_ENT": 2, "ZNAME": "Mia", "ZCOLOR1": "red", "ZOWNER": 1, "Z_FOK_OWNER": 2_048])
        try crafted.insert("ZANIMAL", ["Z_PK": 2, "Z_ENT": 3, "ZNAME": "Rex", "ZCOLOR": 5, "ZOWNER": 1, "Z_FOK_OWNER": 1_024])
        try crafted.insert("ZANIMAL", ["Z_PK": 3, "Z_ENT": 2, "ZBEST": 2, "Z1_BEST": 3])
        let file = try place.open("a.sqlite")
        let cats = try file.rows(of: "Cat")
        #expect(cats[0].values == ["name": .string("Mia"), "color": .string("red")])
        #expect(try file.rows(of: "Dog")[0].values == ["name": .string("Rex"), "color": .integer(5)])
        #expect(cats[0].toOne["owner"] == .some(reference("Owner", 1, at: 2_048)))
        #expect(cats[1].toOne["best"] == .some(reference("Dog", 2)))
        #expect(cats[1].toOne["owner"] == .some(nil))
        #expect(try file.rows(of: "Animal").isEmpty)
        #expect(file.schema.entity(named: "Animal")?.isAbstract == true)
        #expect(file.schema.entity(named: "Owner")?.relationships.first?.isOrdered == true)
        let columns = try #require(file.report.tables.first { $0.name == "ZANIMAL" }?.columns)
        #expect(columns.first { $0.name == "Z1_BEST" }?.fate == .entityOfReference(relationship: "Cat.best"))
        #expect(columns.first { $0.name == "Z_FOK_OWNER" }?.fate == .position(relationship: "Animal.owner"))
    }

    @Test func `values in rows of other entities, rows of unknown entities and references to nothing are counted`() throws {
        let place = try Workplace()
        let crafted = try animals(place)
        try crafted.insert("ZANIMAL", ["Z_PK": 1, "Z_ENT": 2, "ZCOLOR": 9, "ZOWNER": 77])
        try crafted.insert("ZANIMAL", ["Z_PK": 2, "Z_ENT": 99, "ZNAME": "ghost"])
        let file = try place.open("a.sqlite")
        #expect(try file.rows(of: "Cat")[0].toOne["owner"] == .some(nil))
        let notes = file.report.notes
        #expect(notes.contains(.danglingReference(relationship: "Cat.owner", count: 1, rows: [1])))
        #expect(notes.contains(.unknownEntityNumber(table: "ZANIMAL", number: 99, rowCount: 1)))
        #expect(notes.contains(.strayValues(table: "ZANIMAL", column: "ZCOLOR", count: 1)))
        #expect(file.report.totals.rows == 2 + 4 + 1 + 1)
        #expect(file.report.totals.importedRows == 1)
    }

    @Test func `a many-to-many gives one link per pair, ordered, whichever end the table is named for`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/m.sqlite",
            model: [
                .init(name: "Drink", properties: [.toMany("garnishes", "Garnish", inverse: "drinks")]),
                .init(name: "Garnish", properties: [.toMany("drinks", "Drink", inverse: "garnishes")]),
            ], entities: [(1, "Drink", 0), (2, "Garnish", 0)],
            tables: [
                "CREATE TABLE ZDRINK (\(Self.base))", "CREATE TABLE ZGARNISH (\(Self.base))",
                """
                CREATE TABLE Z_2DRINKS (Z_1DRINKS INTEGER, Z_2GARNISHES1 INTEGER, Z_FOK_1DRINKS INTEGER,
                    PRIMARY KEY (Z_1DRINKS, Z_2GARNISHES1))
                """,
            ])
        for key in 1...2 as ClosedRange<Int64> {
            try crafted.insert("ZDRINK", ["Z_PK": .integer(key), "Z_ENT": 1])
            try crafted.insert("ZGARNISH", ["Z_PK": .integer(key), "Z_ENT": 2])
        }
        for (drink, garnish, position) in [(1, 1, 20), (2, 1, 10), (2, 2, 30), (9, 2, 5)] as [(Int64, Int64, Int64)] {
            try crafted.insert(
                "Z_2DRINKS", ["Z_1DRINKS": .integer(drink), "Z_2GARNISHES1": .integer(garnish), "Z_FOK_1DRINKS": .integer(position)])
        }
        let file = try place.open("m.sqlite")
        let links = try file.links()
        #expect(links.map(\.relationship) == ["drinks", "drinks", "drinks"] && links.first?.inverse == "garnishes")
        #expect(links.map(\.owner) == [reference("Garnish", 1), reference("Garnish", 1), reference("Garnish", 2)])
        #expect(links.map(\.member) == [reference("Drink", 2, at: 10), reference("Drink", 1, at: 20), reference("Drink", 2, at: 30)])
        #expect(file.schema.entity(named: "Garnish")?.relationships.first?.isOrdered == true)
        #expect(file.report.notes == [.danglingReference(relationship: "Garnish.drinks", count: 1, rows: [2])])
        #expect(file.report.totals.importedLinks == 3)
    }

    @Test func `a relationship to its own entity is read the right way round, and one that is its own inverse too`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/p.sqlite",
            model: [
                .init(
                    name: "Person",
                    properties: [
                        .toMany("followers", "Person", inverse: "following"), .toMany("following", "Person", inverse: "followers"),
                        .toMany("friends", "Person", inverse: "friends"),
                    ])
            ], entities: [(1, "Person", 0)],
            tables: [
                "CREATE TABLE ZPERSON (\(Self.base))", "CREATE TABLE Z_1FOLLOWERS (Z_1FOLLOWERS INTEGER, Z_1FOLLOWING INTEGER)",
                "CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER)",
            ])
        for key in 1...3 as ClosedRange<Int64> { try crafted.insert("ZPERSON", ["Z_PK": .integer(key), "Z_ENT": 1]) }
        // 1 is a follower of 2.
        try crafted.insert("Z_1FOLLOWERS", ["Z_1FOLLOWERS": 1, "Z_1FOLLOWING": 2])
        try crafted.insert("Z_1FRIENDS", ["Z_1FRIENDS": 2, "REFLEXIVE": 3])
        let file = try place.open("p.sqlite")
        let links = try file.links()
        #expect(links.map(\.relationship) == ["followers", "friends"])
        #expect(links[0].owner.primaryKey == 2 && links[0].member.primaryKey == 1)
        #expect(links[1].owner.primaryKey == 3 && links[1].member.primaryKey == 2)
        #expect(file.report.notes.isEmpty)
    }

    @Test func `a to-many without inverse stands in the member's row, and its limits hold only where rows keep them`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/s.sqlite",
            model: [
                .init(name: "Recipe", properties: [.toMany("spec", "Ingredient", minimum: 1)]),
                .init(name: "Ingredient", properties: [.attribute("name", 700)]),
            ], entities: [(1, "Ingredient", 0), (2, "Recipe", 0)],
            tables: [
                "CREATE TABLE ZRECIPE (\(Self.base))", "CREATE TABLE ZINGREDIENT (\(Self.base), Z2SPEC INTEGER, ZNAME VARCHAR)",
            ])
        try crafted.insert("ZRECIPE", ["Z_PK": 1, "Z_ENT": 2])
        try crafted.insert("ZINGREDIENT", ["Z_PK": 4, "Z_ENT": 1, "ZNAME": "salt", "Z2SPEC": 1])
        #expect(try place.open("s.sqlite").schema.entity(named: "Recipe")?.relationships.first?.minimumCount == 1)
        try crafted.insert("ZRECIPE", ["Z_PK": 2, "Z_ENT": 2])
        let file = try place.open("s.sqlite")
        #expect(
            try file.links()
                == [LegacyLink(relationship: "spec", inverse: nil, owner: reference("Recipe", 1), member: reference("Ingredient", 4))])
        #expect(file.report.notes == [.countLimitDropped(relationship: "Recipe.spec", rowCount: 1)])
        #expect(file.schema.entity(named: "Recipe")?.relationships.first?.minimumCount == 0)
    }

    @Test func `an inverse that does not point back is dropped with a note`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/x.sqlite",
            model: [
                .init(name: "A", properties: [.toOne("b", "B", inverse: "a")]),
                .init(name: "B", properties: [.toOne("a", "A", inverse: "other")]),
            ], entities: [(1, "A", 0), (2, "B", 0)],
            tables: ["CREATE TABLE ZA (\(Self.base), ZB INTEGER)", "CREATE TABLE ZB (\(Self.base), ZA INTEGER)"])
        try crafted.insert("ZA", ["Z_PK": 1, "Z_ENT": 1, "ZB": 1])
        try crafted.insert("ZB", ["Z_PK": 1, "Z_ENT": 2, "ZA": 1])
        let file = try place.open("x.sqlite")
        #expect(file.schema.entity(named: "A")?.relationships.first?.inverse == nil)
        #expect(
            Set(file.report.notes) == [
                .inverseDropped(relationship: "A.b", inverse: "a"), .inverseDropped(relationship: "B.a", inverse: "other"),
            ])
        #expect(try file.rows(of: "A")[0].toOne["b"] == .some(reference("B", 1)))
    }

    @Test func `without an archived model entities keep their names, and columns give the rest`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/old.sqlite", model: nil,
            entities: [(1, "Folder", 0), (2, "Note", 0), (3, "Tag", 0), (16_001, "CHANGE", 0)],
            tables: [
                "CREATE TABLE ZFOLDER (\(Self.base), ZNAME VARCHAR)",
                "CREATE TABLE ZNOTE (\(Self.base), ZFOLDER INTEGER, ZCOUNT INTEGER, ZWHEN TIMESTAMP, ZDATA BLOB)",
                "CREATE TABLE ZTAG (\(Self.base))", "CREATE TABLE Z_2TAGS (Z_2NOTES INTEGER, Z_3TAGS INTEGER)",
            ])
        try crafted.insert("ZFOLDER", ["Z_PK": 1, "Z_ENT": 1, "ZNAME": "Inbox"])
        try crafted.insert("ZNOTE", ["Z_PK": 1, "Z_ENT": 2, "ZFOLDER": 1, "ZCOUNT": 3, "ZWHEN": .real(1.5)])
        try crafted.insert("ZTAG", ["Z_PK": 1, "Z_ENT": 3])
        try crafted.insert("Z_2TAGS", ["Z_2NOTES": 1, "Z_3TAGS": 1])
        let file = try place.open("old.sqlite")
        #expect(file.schema.entities.map(\.name) == ["Folder", "Note", "Tag"])
        let note = try file.rows(of: "Note")[0]
        #expect(note.values == ["COUNT": .integer(3), "WHEN": .date(Date(timeIntervalSinceReferenceDate: 1.5)), "DATA": .null])
        #expect(note.toOne["FOLDER"] == .some(reference("Folder", 1)))
        #expect(try file.links().map(\.relationship) == ["TAGS"])
        #expect(file.report.notes == [.modelGuessed])
    }
}
