import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct RelationshipTests {
    private func names(_ store: Store, _ name: RecordName, _ link: String) throws -> Set<RecordName> {
        let row = try #require(try store.row(named: name))
        let entity = try #require(try store.entity(of: row))
        return Set(try store.related(to: row, over: #require(entity.link(named: link))).compactMap { try store.name(of: $0) })
    }

    @Test func `setting either side of a relationship sets the other`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write {
            let list = try store.put("List", name: RecordName("L"), RowEdit(attributes: ["title": .string("l")])).name
            let one = try store.put("Item", name: RecordName("1"), RowEdit(references: ["list": list])).name
            let two = try store.put("Item", name: RecordName("2"), RowEdit()).name
            #expect(try names(store, list, "items") == [one])
            try store.put("List", name: list, RowEdit(collections: ["items": [two]]))
            #expect(try names(store, list, "items") == [two])
            #expect(try store.storedRow(named: one)?.references["list"] == nil)
            #expect(try store.storedRow(named: two)?.references["list"] == list)
        }
    }

    @Test func `many to many is seen from both sides and its pairs are rows with names of their own`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write {
            let tag = try store.put("Tag", RowEdit(attributes: ["label": .string("t")])).name
            let item = try store.put("Item", name: RecordName("1"), RowEdit(collections: ["tags": [tag]])).name
            #expect(try names(store, tag, "items") == [item])
            let pairs = try store.connection.rows("SELECT _id FROM Item_tags") { RecordName(stored: $0.value(0)) }
            let expected = store.naming.pairName(type: "Item_tags", source: item, target: tag)
            #expect(pairs == [expected])
            try store.put("Tag", name: tag, RowEdit(collections: ["items": []]))
            #expect(try names(store, item, "tags").isEmpty)
        }
    }

    @Test func `a cascade deletes the children and a plain rule clears the reference`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write {
            let list = try store.put("List", name: RecordName("L"), RowEdit(attributes: ["title": .string("l")])).name
            let tag = try store.put("Tag", RowEdit(attributes: ["label": .string("t")])).name
            for index in 0..<3 {
                try store.put(
                    "Item", name: RecordName("\(index)"), RowEdit(references: ["list": list], collections: ["tags": [tag]]))
            }
            // Three items, their three pairs and the list; the tag stays.
            #expect(try store.delete(list) == 7)
            #expect(try store.storedRow(named: tag) != nil)
        }
    }

    @Test func `a rule that denies stops the whole deletion unless the other end goes too`() throws {
        let fixture = try StoreFixture([
            Entity(
                "Room", relationships: [Relationship("guests", to: "Guest", isToMany: true, inverse: "room", deleteRule: .deny)]),
            Entity("Guest", relationships: [Relationship("room", to: "Room", inverse: "guests", deleteRule: .cascade)]),
        ])
        let store = fixture.store
        try store.write {
            let room = try store.put("Room", name: RecordName("R"), RowEdit()).name
            let guest = try store.put("Guest", name: RecordName("G"), RowEdit(references: ["room": room])).name
            #expect(throws: StoreError.self) { try store.delete(room) }
            #expect(try store.delete(guest) == 2)
        }
    }

    @Test func `a one-to-one destination belongs to its newest claimant`() throws {
        let fixture = try StoreFixture([
            Entity("Person", relationships: [Relationship("passport", to: "Passport", inverse: "holder")]),
            Entity("Passport", relationships: [Relationship("holder", to: "Person", inverse: "passport")]),
        ])
        let store = fixture.store
        try store.write {
            let passport = try store.put("Passport", name: RecordName("P"), RowEdit()).name
            let one = try store.put("Person", name: RecordName("1"), RowEdit(references: ["passport": passport])).name
            let two = try store.put("Person", name: RecordName("2"), RowEdit()).name
            try store.put("Passport", name: passport, RowEdit(references: ["holder": two]))
            #expect(try names(store, passport, "holder") == [two])
            #expect(try names(store, one, "passport").isEmpty)
            try store.put("Person", name: one, RowEdit(references: ["passport": passport]))
            #expect(try names(store, passport, "holder") == [one])
        }
    }

    @Test func `a to-many without an inverse and a self reference work`() throws {
        let fixture = try StoreFixture([
            Entity("Folder", relationships: [Relationship("parent", to: "Folder"), Relationship("files", to: "File", isToMany: true)]),
            Entity("File"),
        ])
        let store = fixture.store
        try store.write {
            let file = try store.put("File", name: RecordName("f"), RowEdit()).name
            let root = try store.put("Folder", name: RecordName("root"), RowEdit(collections: ["files": [file]])).name
            let child = try store.put("Folder", name: RecordName("child"), RowEdit(references: ["parent": root])).name
            #expect(try names(store, root, "files") == [file])
            try store.delete(root)
            #expect(try store.storedRow(named: child)?.references == [:])
            #expect(try store.storedRow(named: file) != nil)
        }
    }

    static let ordered: [Entity] = [
        Entity(
            "Playlist",
            relationships: [
                Relationship("songs", to: "Song", isToMany: true, isOrdered: true, inverse: "playlist"),
                Relationship("artists", to: "Artist", isToMany: true, isOrdered: true, inverse: "playlists"),
            ]),
        Entity("Song", relationships: [Relationship("playlist", to: "Playlist", inverse: "songs")]),
        Entity("Artist", relationships: [Relationship("playlists", to: "Playlist", isToMany: true, inverse: "artists")]),
    ]

    private func list(_ store: Store, _ name: RecordName, _ link: String) throws -> [String] {
        let row = try #require(try store.row(named: name))
        let entity = try #require(try store.entity(of: row))
        return try store.related(to: row, over: #require(entity.link(named: link))).compactMap { try store.name(of: $0)?.text }
    }

    @Test func `an ordered relationship keeps the order it was given, and who joins it from the other side comes last`() throws {
        let fixture = try StoreFixture(Self.ordered)
        let store = fixture.store
        try store.write {
            for name in ["a", "b", "c", "d"] {
                try store.put("Song", name: RecordName(name), RowEdit())
                try store.put("Artist", name: RecordName("artist \(name)"), RowEdit())
            }
            let playlist = try store.put(
                "Playlist", name: RecordName("P"),
                RowEdit(collections: [
                    "songs": ["c", "a", "b"].map { RecordName($0) }, "artists": ["artist d", "artist a"].map { RecordName($0) },
                ])).name
            #expect(try list(store, playlist, "songs") == ["c", "a", "b"])
            #expect(try list(store, playlist, "artists") == ["artist d", "artist a"])
            try store.put("Song", name: RecordName("d"), RowEdit(references: ["playlist": playlist]))
            #expect(try list(store, playlist, "songs") == ["c", "a", "b", "d"])
            // Naming the list again moves nothing.
            try store.put("Song", name: RecordName("a"), RowEdit(references: ["playlist": playlist]))
            #expect(try list(store, playlist, "songs") == ["c", "a", "b", "d"])
            try store.put("Playlist", name: playlist, RowEdit(collections: ["songs": ["d", "b"].map { RecordName($0) }]))
            #expect(try list(store, playlist, "songs") == ["d", "b"])
            try store.put("Playlist", name: playlist, RowEdit(collections: ["artists": ["artist a", "artist d"].map { RecordName($0) }]))
            #expect(try list(store, playlist, "artists") == ["artist a", "artist d"])
        }
    }

    @Test func `subentities share a table, are fetched with their parent, and may name a property alike`() throws {
        let fixture = try StoreFixture([
            Entity("Vehicle", isAbstract: true, attributes: [Attribute("wheels", .int16)]),
            Entity("Car", superentity: "Vehicle", attributes: [Attribute("size", .int16, isOptional: true)]),
            Entity("Boat", superentity: "Vehicle", attributes: [Attribute("size", .string, isOptional: true)]),
        ])
        let store = fixture.store
        try store.write {
            let car = try store.put("Car", RowEdit(attributes: ["wheels": .integer(4), "size": .integer(2)])).name
            let boat = try store.put("Boat", RowEdit(attributes: ["wheels": .integer(0), "size": .string("long")])).name
            #expect(try store.storedRow(named: car)?.attributes == ["wheels": .integer(4), "size": .integer(2)])
            #expect(try store.storedRow(named: boat)?.attributes == ["wheels": .integer(0), "size": .string("long")])
            #expect(try store.count(of: #require(store.layout.entities["Vehicle"])) == 2)
            #expect(try store.count(of: #require(store.layout.entities["Car"])) == 1)
            #expect(throws: StoreError.self) { try store.put("Vehicle", RowEdit(attributes: ["wheels": .integer(1)])) }
        }
    }

    @Test func `subentities may name a relationship alike, and each reads its own by that name`() throws {
        let fixture = try StoreFixture([
            Entity("Owner", attributes: [Attribute("label", .string, isOptional: true)]),
            Entity("Vehicle", isAbstract: true),
            Entity("Car", superentity: "Vehicle", relationships: [Relationship("owner", to: "Owner")], indices: [["owner"]]),
            Entity("Boat", superentity: "Vehicle", relationships: [Relationship("owner", to: "Owner")], indices: [["owner"]]),
        ])
        let store = fixture.store
        try store.write {
            let owner = try store.put("Owner", RowEdit()).name
            for entity in ["Car", "Boat"] {
                let vehicle = try store.put(entity, RowEdit(references: ["owner": owner])).name
                #expect(try store.storedRow(named: vehicle)?.references == ["owner": owner])
            }
        }
        let indexed = try store.connection.rows("SELECT DISTINCT c.name FROM pragma_index_list('Vehicle') l, pragma_index_info(l.name) c") {
            $0.text(0)
        }
        #expect(Set(indexed).isSuperset(of: ["owner", "Car.owner"]))
    }
}
