import Foundation
import Testing

@testable import SluiceSQLite

@Suite(.timeLimit(.minutes(10))) final class DatabaseCopyTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-copy-\(UUID().uuidString)").path
    private var source: String { "\(folder)/Notes.store" }
    private var copy: String { "\(folder)/Copy.store" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("could not remove \(folder): \(error)") }
    }

    /// 500 rows, the last of them in the log only.
    private static func fill(_ path: String) throws -> Connection {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(v)")
        for index in 0..<500 { try connection.run("INSERT INTO t VALUES (?)", [.text("\(index) " + String(repeating: "x", count: 500))]) }
        return connection
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    @Test func `a store that is being written is copied into one sound file without a log, with what stands in the log`() throws {
        let connection = try Self.fill(source)
        try connection.execute("BEGIN; INSERT INTO t VALUES ('not committed')")
        try Connection.copyDatabase(from: source, to: copy)
        #expect(try names().filter { $0.hasPrefix("Copy") } == ["Copy.store"])
        // Bytes 18 and 19 say 2 for a file with a write-ahead log.
        #expect(try Array(Data(contentsOf: URL(filePath: copy))[18...19]) == [1, 1])
        #expect(try Connection(path: copy, mode: .readOnly).integer("SELECT count(*) FROM t") == 500)
        try connection.execute("ROLLBACK")
    }

    @Test func `a file that is there is not written over`() throws {
        withExtendedLifetime(try Self.fill(source)) {
            #expect(FileManager.default.createFile(atPath: copy, contents: Data("mine".utf8)))
            #expect(throws: DatabaseCopyFailure.self) { try Connection.copyDatabase(from: source, to: copy) }
        }
        #expect(FileManager.default.contents(atPath: copy) == Data("mine".utf8))
    }

    @Test func `a damaged store is not copied, and nothing is left of the attempt`() throws {
        do { _ = try Self.fill(source).checkpoint() }
        var bytes = try Data(contentsOf: URL(filePath: source))
        bytes.replaceSubrange(8_192..<40_960, with: Data(repeating: 0x5A, count: 32_768))
        try bytes.write(to: URL(filePath: source))
        let failure = try #require(throws: DatabaseCopyFailure.self) { try Connection.copyDatabase(from: source, to: copy) }
        guard case .damaged = failure.reason else { return #expect(Bool(false), "\(failure)") }
        #expect(failure.description.contains(source) && failure.description.contains("damaged"))
        #expect(try !names().contains { $0.hasPrefix("Copy") })
        #expect(throws: DatabaseCopyFailure.self) { try Connection.copyDatabase(from: source, to: copy, checking: .pages) }
    }

    @Test func `an index that is about something else than its table is found where that is asked for`() throws {
        do {
            let connection = try Self.fill(source)
            try connection.execute(
                """
                CREATE TABLE u(a, b); CREATE INDEX i ON u(a); INSERT INTO u VALUES (1, 10), (2, 20); PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = 'CREATE INDEX i ON u(b)' WHERE name = 'i';
                """)
            _ = try connection.checkpoint()
        }
        let failure = try #require(throws: DatabaseCopyFailure.self) { try Connection.copyDatabase(from: source, to: copy) }
        #expect(failure.description.contains("missing from index i"))
        // Every page is sound.
        try Connection.copyDatabase(from: source, to: copy, checking: .pages)
    }

    @Test func `a disk that is full at any write leaves nothing, and the error names the copy and the room that it needs`() async throws {
        do { _ = try Self.fill(source) }
        await #expect(processExitsWith: .success) { [source = source as String, copy = copy as String] in
            setenv("SLUICE_DISK_FAULT", "full:1000000000", 1)
            #if DEBUG
                var failureCount = 0
                for point in 1...2_000 {
                    DiskFault.arm("full:\(point)")
                    do {
                        try Connection.copyDatabase(from: source, to: copy)
                        break
                    } catch let failure as DatabaseCopyFailure {
                        #expect(failure.isDiskFull && failure.description.contains("\(copy): "), "\(failure)")
                        #expect(failure.description.contains("needs about 1 MiB"), "\(failure)")
                        #expect(!FileManager.default.fileExists(atPath: copy) && !FileManager.default.fileExists(atPath: copy + "-journal"))
                        failureCount += 1
                    }
                }
                #expect(failureCount > 50 && failureCount < 2_000)
            #endif
        }
    }
}
