import Foundation
import Glibc
import SluiceSQLite
import Testing

@testable import SluiceImport

@Suite struct LegacyStagingTests {
    /// A store of `count` rows whose log is merged.
    private func makeStore(_ path: String, count: Int = 100, text: String = "row", journal: String = "WAL") throws {
        let connection = try Connection(path: path, mode: .create)
        _ = try connection.value("PRAGMA journal_mode = \(journal)")
        try connection.execute("CREATE TABLE t(v)")
        for number in 0..<count { try connection.run("INSERT INTO t VALUES (?)", [.text("\(text) \(number)")]) }
        _ = try connection.checkpoint()
    }

    private func count(_ store: StagedStore) throws -> Int64 {
        try Connection(path: store.path, mode: .readOnly).integer("SELECT count(*) FROM t")
    }

    /// Copies what a killed writer would leave: main file and log of a connection that is still open.
    private func copyOpenStore(_ path: String, to target: String, suffixes: [String] = ["", "-wal"]) throws {
        for suffix in suffixes { try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix) }
    }

    // MARK: What is copied

    @Test func `field report 01: rows that stand only in the log of a killed writer are staged too`() throws {
        let place = try Workplace()
        try makeStore(place.path + "/live")
        let writer = try Connection(path: place.path + "/live", mode: .readWrite)
        for number in 0..<5 { try writer.run("INSERT INTO t VALUES (?)", [.text("late \(number)")]) }
        try copyOpenStore(place.path + "/live", to: place.source + "/s.sqlite")
        let before = try place.sourceState()
        let store = try place.stage("s.sqlite")
        #expect(try count(store) == 105)
        #expect(store.notes.isEmpty)
        #expect(try place.sourceState() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.directory).sorted() == ["s.sqlite", "staged.json"])
    }

    @Test func `a source in a directory nobody may write is staged and left as it was, links followed`() throws {
        let place = try Workplace()
        try makeStore(place.source + "/s.sqlite")
        try FileManager.default.createSymbolicLink(atPath: place.path + "/link", withDestinationPath: place.source + "/s.sqlite")
        let before = try place.sourceState()
        chmod(place.source, 0o500)
        chmod(place.source + "/s.sqlite", 0o400)
        let store = try LegacyStaging(directory: place.legacy).stage(place.path + "/link")
        chmod(place.source + "/s.sqlite", 0o644)
        #expect(try count(store) == 100)
        #expect(store.source == place.source + "/s.sqlite")
        #expect(try place.sourceState() == before)
    }

    @Test func `a hot journal is rolled back in the copy, and stays hot at the source`() throws {
        let place = try Workplace()
        try makeStore(place.path + "/live", journal: "DELETE")
        let writer = try Connection(path: place.path + "/live", mode: .readWrite)
        try writer.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE t SET v = v || hex(zeroblob(3000));")
        try copyOpenStore(place.path + "/live", to: place.source + "/s.sqlite", suffixes: ["", "-journal"])
        let before = try place.sourceState()
        let store = try place.stage("s.sqlite")
        #expect(try Connection(path: store.path, mode: .readOnly).integer("SELECT max(length(v)) FROM t") < 20)
        #expect(try place.sourceState() == before)
    }

    @Test func `the same bytes are staged once, other bytes beside them, and a copy can be removed`() throws {
        let place = try Workplace()
        try makeStore(place.source + "/s.sqlite")
        let staging = try LegacyStaging(directory: place.legacy)
        let first = try staging.stage(place.source + "/s.sqlite")
        #expect(try staging.stage(place.source + "/s.sqlite") == first)
        try Connection(path: place.source + "/s.sqlite", mode: .readWrite).execute("INSERT INTO t VALUES ('new')")
        let second = try staging.stage(place.source + "/s.sqlite")
        #expect(try count(first) == 100)
        #expect(try count(second) == 101)
        #expect(Set(try staging.stores()) == [first, second])
        try staging.remove(first)
        #expect(try staging.stores() == [second])
    }

    @Test func `the staged copies are closed to every other user`() throws {
        let place = try Workplace()
        try makeStore(place.source + "/s.sqlite")
        let store = try place.stage("s.sqlite")
        for path in [place.legacy, store.directory, store.path, store.directory + "/staged.json"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
        }
    }

    // MARK: Whose log it is

    /// Puts the log of the store at `old` beside a newer one, as if the main file alone had been replaced.
    private func leaveLog(of old: String, beside path: String) throws {
        try FileManager.default.copyItem(atPath: old + "-wal", toPath: path + "-wal")
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: path + "-wal")
    }

    @Test func `field report R1: an old log beside a new store is left out, and the store's own rows are read`() throws {
        let place = try Workplace()
        let old = try Connection(path: place.path + "/old", mode: .create)
        _ = try old.value("PRAGMA journal_mode = WAL")
        try old.execute("CREATE TABLE t(v); INSERT INTO t VALUES ('old')")
        try makeStore(place.source + "/s.sqlite", count: 1, text: "new")
        try leaveLog(of: place.path + "/old", beside: place.source + "/s.sqlite")
        let store = try place.stage("s.sqlite")
        #expect(try Connection(path: store.path, mode: .readOnly).value("SELECT v FROM t") == "new 0")
        #expect(store.notes.count == 1)
        guard case .foreignLog? = store.notes.first else { return #expect(Bool(false), "\(store.notes)") }
    }

    @Test(arguments: [
        "CREATE TABLE t(v)", "CREATE TABLE t(v); CREATE TABLE u(w); INSERT INTO u VALUES (zeroblob(20000))",
        "PRAGMA page_size = 1024; CREATE TABLE t(v)",
    ])
    func `a log of a database with the same tables, more tables or other pages is not taken for the store's`(_ definition: String) throws {
        let place = try Workplace()
        let old = try Connection(path: place.path + "/old", mode: .create)
        try old.execute("\(definition); INSERT INTO t VALUES ('older')")
        _ = try old.value("PRAGMA journal_mode = WAL")
        for number in 0..<30 { try old.execute("INSERT INTO t VALUES ('old \(number)')") }
        try makeStore(place.source + "/s.sqlite", count: 3, text: "new")
        try leaveLog(of: place.path + "/old", beside: place.source + "/s.sqlite")
        let store = try place.stage("s.sqlite")
        #expect(try Connection(path: store.path, mode: .readOnly).rows("SELECT v FROM t") { $0.text(0) } == ["new 0", "new 1", "new 2"])
        #expect(store.notes.count == 1)
    }

    @Test func `a store that keeps no log owns none`() throws {
        let place = try Workplace()
        let old = try Connection(path: place.path + "/old", mode: .create)
        _ = try old.value("PRAGMA journal_mode = WAL")
        try old.execute("CREATE TABLE t(v); INSERT INTO t VALUES ('old')")
        try makeStore(place.source + "/s.sqlite", count: 1, text: "new", journal: "DELETE")
        try leaveLog(of: place.path + "/old", beside: place.source + "/s.sqlite")
        let store = try place.stage("s.sqlite")
        #expect(store.notes == [.foreignLog(reason: WriteAheadLog.Mismatch.rollbackMode.rawValue)])
        #expect(try Connection(path: store.path, mode: .readOnly).value("SELECT v FROM t") == "new 0")
    }

    @Test func `the store's own log is recognised before, during and after checkpoints, and through changes of its tables`() throws {
        let place = try Workplace()
        let path = place.path + "/live"
        let writer = try Connection(path: path, mode: .create)
        _ = try writer.value("PRAGMA journal_mode = WAL")
        _ = try writer.value("PRAGMA wal_autocheckpoint = 0")
        try writer.execute("CREATE TABLE t(v)")
        let steps = [
            "INSERT INTO t VALUES (zeroblob(9000))", "PRAGMA wal_checkpoint(PASSIVE)", "INSERT INTO t VALUES (1)", "CREATE TABLE u(w)",
            "PRAGMA wal_checkpoint(PASSIVE)", "UPDATE t SET v = 2", "DELETE FROM t", "VACUUM", "PRAGMA wal_checkpoint(RESTART)",
            "INSERT INTO t VALUES (3)", "PRAGMA user_version = 7", "PRAGMA wal_checkpoint(PASSIVE)", "CREATE INDEX i ON t(v)",
            "DROP TABLE u",
            "INSERT INTO t VALUES (4)", "PRAGMA wal_checkpoint(FULL)", "INSERT INTO t SELECT zeroblob(5000)",
        ]
        for (number, step) in steps.enumerated() {
            _ = try writer.value(step)
            let expected = try writer.integer("SELECT count(*) FROM t")
            let name = "s\(number).sqlite"
            try copyOpenStore(path, to: place.source + "/" + name)
            let store = try place.stage(name)
            #expect(store.notes.isEmpty, "after \(step)")
            #expect(try count(store) == expected, "after \(step)")
        }
    }

    // MARK: What is refused

    private func refusal(_ path: String, in place: Workplace) -> ImportError? {
        #expect(throws: ImportError.self) { try LegacyStaging(directory: place.legacy, pause: { _ in }).stage(path) }
    }

    @Test func `what is no complete SQLite file is refused by name, and nothing is left in the directory`() throws {
        let place = try Workplace()
        try makeStore(place.path + "/whole", count: 2_000)
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.path + "/whole"))
        var generator = SystemRandomNumberGenerator()
        var damaged = whole
        damaged.replaceSubrange(8_192..<9_000, with: Data(repeating: 0xEE, count: 808))
        let files: [(String, Data, (ImportError) -> Bool)] = [
            ("empty", Data(), { if case .emptySource = $0 { true } else { false } }),
            ("text", Data("hello".utf8), { if case .notSQLite(_, .unknown) = $0 { true } else { false } }),
            ("list", Data("bplist00x".utf8), { if case .notSQLite(_, .propertyList) = $0 { true } else { false } }),
            (
                "noise", Data([0]) + Data((1..<8_192).map { _ in UInt8.random(in: .min ... .max, using: &generator) }),
                { if case .encrypted = $0 { true } else { false } }
            ),
            ("short", whole.prefix(whole.count / 2), { if case .truncated = $0 { true } else { false } }),
            ("header", whole.prefix(60), { if case .notSQLite = $0 { true } else { false } }),
            ("damaged", damaged, { if case .damaged = $0 { true } else { false } }),
        ]
        for (name, bytes, isExpected) in files {
            try bytes.write(to: URL(fileURLWithPath: place.source + "/" + name))
            let error = try #require(refusal(place.source + "/" + name, in: place))
            #expect(isExpected(error), "\(name): \(error)")
            #expect(error.description.contains(place.source + "/" + name))
        }
        _ = try LegacyStaging(directory: place.legacy)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.legacy) == ["import.lock"])
    }

    @Test func `a directory, a FIFO, a missing file and a relative path are refused without waiting`() throws {
        let place = try Workplace()
        mkfifo(place.source + "/fifo", 0o600)
        if case .notAFile(_, .fifo)? = refusal(place.source + "/fifo", in: place) {} else { Issue.record("FIFO") }
        if case .notAFile(_, .directory)? = refusal(place.source, in: place) {} else { Issue.record("directory") }
        if case .sourceMissing? = refusal(place.source + "/none", in: place) {} else { Issue.record("missing") }
        if case .relativePath? = refusal("s.sqlite", in: place) {} else { Issue.record("field report R16: relative") }
    }

    @Test func `a source that changes during every attempt is given up, and one that settles is copied whole`() throws {
        let place = try Workplace()
        // Beside the source, whose bytes follow the writer's: a store that this process has open is no source.
        let (live, path) = (place.path + "/live", place.source + "/s.sqlite")
        try makeStore(live, count: 1)
        let writer = try Connection(path: live, mode: .readWrite)
        func write(_ sql: String) throws {
            try writer.execute(sql)
            for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try copyOpenStore(live, to: path)
        }
        try write("INSERT INTO t VALUES (1)")
        var pauses: [Int] = []
        let staging = try LegacyStaging(directory: place.legacy, pause: { pauses.append($0) })
        let error = #expect(throws: ImportError.self) {
            try staging.stage(path) { if $0 == .attempted { try write("INSERT INTO t VALUES (2)") } }
        }
        guard case .keepsChanging(_, 8)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.isRetryable == true && pauses == Array(1...7))
        #expect(try staging.stores().isEmpty)

        var writes = 2
        let store = try staging.stage(path) { step in
            guard step == .attempted, writes > 0 else { return }
            writes -= 1
            // A checkpoint changes neither the log's size nor, always, the database's counter.
            try write(writes == 0 ? "PRAGMA wal_checkpoint(PASSIVE)" : "INSERT INTO t VALUES (3)")
        }
        #expect(try count(store) == 2 + 8 + 1)
    }

    @Test func `field report R17: a directory on a network file system is refused by that file system's name`() throws {
        #expect(NetworkFileSystem.name(ofType: 0x6969) == "NFS")
        #expect(NetworkFileSystem.name(ofType: 0xFE53_4D42) == "SMB")
        #expect(NetworkFileSystem.name(ofType: 0xEF53) == nil)
        #expect(try NetworkFileSystem.name(at: FileManager.default.temporaryDirectory.path) == nil)
    }

    // MARK: Interruption

    private struct Stop: Error {}

    @Test func `field report 03: one importer at a time, and the lock goes with its holder`() throws {
        let place = try Workplace()
        var first: LegacyStaging? = try LegacyStaging(directory: place.legacy)
        let error = #expect(throws: ImportError.self) { try LegacyStaging(directory: place.legacy) }
        guard case .importRunning(_, let holder)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(holder == "\(ProcessInfo.processInfo.processIdentifier)" && error?.isRetryable == true)
        #expect(first != nil)
        first = nil
        _ = try LegacyStaging(directory: place.legacy)
    }

    @Test(arguments: LegacyStaging.Step.allCases)
    func `stopped after any step, nothing half done looks finished, and the next run ends with the whole copy`(_ step: LegacyStaging.Step)
        throws
    {
        let place = try Workplace()
        try makeStore(place.source + "/s.sqlite")
        do {
            let staging = try LegacyStaging(directory: place.legacy)
            #expect(throws: Stop.self) { try staging.stage(place.source + "/s.sqlite") { if $0 == step { throw Stop() } } }
            #expect(try staging.stores().count == (step == .renamed ? 1 : 0))
        }
        let staging = try LegacyStaging(directory: place.legacy)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.legacy).allSatisfy { !$0.hasSuffix(".partial") })
        let store = try staging.stage(place.source + "/s.sqlite")
        #expect(try count(store) == 100)
        #expect(try staging.stores() == [store])
    }

    // MARK: Open in this process

    @Test func `a store that this process has open is refused under any name, and keeps its locks`() throws {
        let place = try Workplace()
        let path = place.source + "/live.store"
        try makeStore(path)
        var writer: Connection? = try Connection(path: path, mode: .readWrite)
        _ = try writer?.integer("SELECT count(*) FROM t")
        try FileManager.default.createSymbolicLink(atPath: place.source + "/link", withDestinationPath: path)
        try FileManager.default.linkItem(atPath: path, toPath: place.source + "/hard")
        func locks() throws -> Int {
            let own = " \(ProcessInfo.processInfo.processIdentifier) "
            let inodes = try ["", "-shm"].map { suffix -> String in
                let number = try FileManager.default.attributesOfItem(atPath: path + suffix)[.systemFileNumber] as? Int
                return ":\(number ?? 0) "
            }
            return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count { line in
                line.contains("POSIX") && line.contains(own) && inodes.contains { line.contains($0) }
            }
        }
        let held = try locks()
        #expect(held > 0)
        for name in ["live.store", "link", "hard", "live.store-shm", "live.store-wal"] {
            // An empty log is refused for that before anybody opens it.
            if name == "live.store-wal" { try writer?.run("INSERT INTO t VALUES (1)") }
            let error = #expect(throws: ImportError.self) { try place.stage(name) }
            guard case .openHere(_, let database)? = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(URL(filePath: database).lastPathComponent == "live.store")
        }
        #expect(try locks() == held)
        writer = nil
        #expect(try count(place.stage("live.store")) == 101)
    }
}
