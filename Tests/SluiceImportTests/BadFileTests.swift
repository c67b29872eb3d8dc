import Foundation
import SluiceSQLite
import Testing

@testable import SluiceImport

/// Files that no import can use: each is refused by what is wrong with it, says what to do, and is left as it was.
@Suite struct BadFileTests {
    private func expectRefusal(
        _ name: String, in place: Workplace, _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ isExpected: (ImportError) -> Bool
    ) throws {
        let before = try place.sourceState()
        let error = #expect(throws: ImportError.self, sourceLocation: sourceLocation) { try place.importing(name) }
        if let error {
            #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation)
            #expect(error.description.contains(place.source + "/" + name), sourceLocation: sourceLocation)
            #expect(error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
        }
        #expect(try place.sourceState() == before, sourceLocation: sourceLocation)
        #expect(!FileManager.default.fileExists(atPath: place.target), sourceLocation: sourceLocation)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.legacy).allSatisfy { $0 == "import.lock" || !$0.hasSuffix(".partial") })
    }

    /// A sound store in one file without a log.
    private func sound(_ place: Workplace) throws -> Data {
        let crafted = try CraftedLibrary.make(in: place)
        _ = try crafted.connection.checkpoint()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: place.source + "/" + CraftedLibrary.name))
        return bytes
    }

    private func write(_ bytes: Data, _ name: String, in place: Workplace) throws {
        try bytes.write(to: URL(fileURLWithPath: place.source + "/" + name))
    }

    @Test func `a damaged header is told from a file that is no store`() throws {
        let original = try Workplace()
        let bytes = try sound(original)
        let place = try Workplace()
        let damages: [(String, (inout Data) -> Void)] = [
            ("magic", { $0.replaceSubrange(0..<16, with: Data(count: 16)) }), ("size", { $0.replaceSubrange(16..<18, with: [0x12, 0x34]) }),
            ("noise", { $0.replaceSubrange(0..<24, with: (0..<24).map { UInt8($0 * 11) }) }),
        ]
        for (name, damage) in damages {
            var damaged = bytes
            damage(&damaged)
            try write(damaged, "\(name).store", in: place)
            if name == "noise" {
                // Nothing but the kind of the first page is left to go by.
                try expectRefusal("\(name).store", in: place, "Check the path") { if case .notSQLite = $0 { true } else { false } }
            } else {
                try expectRefusal("\(name).store", in: place, "header is damaged") { if case .damagedHeader = $0 { true } else { false } }
            }
        }
        try write(Data("Dear diary, ".utf8) + Data(repeating: 0x20, count: 8_192), "letter.store", in: place)
        try expectRefusal("letter.store", in: place, "it is of an unknown format") { if case .notSQLite = $0 { true } else { false } }
    }

    @Test func `an encrypted store, header encrypted or only the pages, is refused as that or as damaged`() throws {
        let original = try Workplace()
        let bytes = try sound(original)
        let place = try Workplace()
        var generator = SystemRandomNumberGenerator()
        let noise = Data((0..<bytes.count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        try write(noise, "cipher.store", in: place)
        try expectRefusal("cipher.store", in: place, "unencrypted copy") { if case .encrypted = $0 { true } else { false } }
        // SQLCipher can leave the header readable.
        try write(bytes.prefix(100) + noise.dropFirst(100), "plain-header.store", in: place)
        try expectRefusal("plain-header.store", in: place, "Repair a copy") { if case .damaged = $0 { true } else { false } }
    }

    @Test func `a store that was copied without its log is refused where the index tells, whatever the main file holds`() throws {
        let place = try Workplace()
        let original = try Workplace()
        let crafted = try CraftedLibrary.make(in: original)
        try crafted.keepOpen()
        _ = try crafted.connection.value("PRAGMA wal_autocheckpoint = 0")
        _ = try crafted.connection.checkpoint()
        try crafted.insert("ZPERSON", ["Z_PK": 4, "Z_ENT": 4, "Z_OPT": 1, "ZNAME": "only in the log"])
        let path = original.source + "/" + CraftedLibrary.name
        for suffix in ["", "-shm"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: place.source + "/half.store" + suffix)
        }
        try expectRefusal("half.store", in: place, "half.store-wal is missing") { if case .logMissing = $0 { true } else { false } }
        // With its log it is whole.
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: place.source + "/half.store-wal")
        #expect(try place.importing("half.store").outcome.inserted["Person"] == 4)
    }

    @Test func `a store that was closed without its log, or whose index says that all was moved, is whole`() throws {
        let place = try Workplace()
        let original = try Workplace()
        let crafted = try CraftedLibrary.make(in: original)
        try crafted.keepOpen()
        _ = try crafted.connection.value("PRAGMA wal_checkpoint(FULL)")
        let path = original.source + "/" + CraftedLibrary.name
        for suffix in ["", "-shm"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: place.source + "/moved.store" + suffix)
        }
        #expect(try place.importing("moved.store").outcome.inserted["Person"] == 3)
    }

    @Test func `pages that are missing or damaged are found with a log beside them too`() throws {
        let original = try Workplace()
        let crafted = try CraftedLibrary.make(in: original)
        try crafted.keepOpen()
        for key in 100..<600 { try crafted.insert("ZPERSON", ["Z_PK": SQLiteValue(key), "Z_ENT": 4, "Z_OPT": 1, "ZNAME": .text("person \(key)")]) }
        _ = try crafted.connection.checkpoint()
        _ = try crafted.connection.value("PRAGMA wal_autocheckpoint = 0")
        try crafted.insert("ZTAG", ["Z_PK": 50, "Z_ENT": 6, "Z_OPT": 1, "ZLABEL": "logged"])
        let path = original.source + "/" + CraftedLibrary.name
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try Workplace()
        let pageSize = Int(try crafted.connection.integer("PRAGMA page_size"))
        for (name, copy) in [
            ("short.store", bytes.prefix(bytes.count - 3 * pageSize)),
            ("holes.store", bytes.prefix(bytes.count - 2 * pageSize) + Data(repeating: 0xA5, count: pageSize) + bytes.suffix(pageSize)),
        ] {
            try write(Data(copy), name, in: place)
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: place.source + "/" + name + "-wal")
            try expectRefusal(name, in: place, "database is damaged") {
                switch $0 {
                case .damaged, .truncated: true
                default: false
                }
            }
        }
    }

    @Test func `a model that is damaged inside a sound store is refused by what is wrong with it`() throws {
        let place = try Workplace()
        _ = try CraftedFile(
            place.source + "/m.store", model: nil, entities: [(1, "A", 0)], tables: ["CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)"],
            cache: Data("garbage".utf8))
        try expectRefusal("m.store", in: place, "the model inside cannot be read") { if case .unreadableModel = $0 { true } else { false } }
    }

    @Test(.timeLimit(.minutes(10))) func `another process that commits all the while gives a consistent copy, or is given up with its reason`() throws {
        let place = try Workplace()
        let path = place.source + "/live.store"
        do {
            let crafted = try CraftedFile(
                path, model: [.init(name: "A", properties: [.attribute("n", 300)]), .init(name: "B", properties: [.attribute("n", 300)])],
                entities: [(1, "A", 0), (2, "B", 0)],
                tables: ["A", "B"].map { "CREATE TABLE Z\($0) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN INTEGER)" })
            for table in ["ZA", "ZB"] { try crafted.insert(table, ["Z_PK": 1, "Z_ENT": table == "ZA" ? 1 : 2, "ZN": 0]) }
        }
        // Each commit adds one row to both tables; a copy between the two would show.
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c",
            """
            i=2; while [ $i -lt 4000 ]; do
            echo "BEGIN; INSERT INTO ZA VALUES($i,1,1,$i); INSERT INTO ZB VALUES($i,2,1,$i); COMMIT;"
            [ $((i % 40)) -eq 0 ] && echo ".shell sleep 0.2"
            i=$((i + 1)); done | sqlite3 "$0"
            """, path,
        ]
        try writer.run()
        defer {
            writer.terminate()
            writer.waitUntilExit()
        }
        var copies = 0
        for round in 0..<6 {
            let staging = try LegacyStaging(directory: place.path + "/Legacy\(round)")
            do {
                let staged = try staging.stage(path)
                let connection = try Connection(path: staged.path, mode: .readOnly)
                #expect(try connection.integer("SELECT count(*) FROM ZA") == connection.integer("SELECT count(*) FROM ZB"))
                #expect(try connection.integrityFaults().isEmpty)
                copies += 1
            } catch ImportError.keepsChanging {
                continue
            }
        }
        #expect(copies > 0)
    }
}
