import Foundation
import PostgreSQLFixture
import SluiceHTTPServer
import SluicePostgreSQL
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// What a real sync sent comes again: later, in another order, twice at once, in pieces. It has had its effect, and has none again (invariant I-2).
@Suite(.timeLimit(.minutes(10))) struct RecordedSyncTests {
    /// Where the service keeps its rows.
    enum Engine: String, CaseIterable, Sendable { case sqlite, postgresql }

    /// A new storage; of its own in the tests' PostgreSQL server, or in `folder`.
    static func open(_ engine: Engine, in folder: URL) throws -> any RecordStorage {
        guard engine == .postgresql else { return try SQLiteRecordStorage.open(path: folder.appending(path: "records.sqlite").path) }
        let schema = "recorded_\(UInt64.random(in: .min ... .max))"
        let target = try PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: schema)
        return try PostgreSQLRecordStorage.open(target, creates: true)
    }

    private static func with(_ engine: Engine, isHostile: Bool = false, _ body: (RecordingService) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-recorded-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let service = try await RecordingService(open(engine, in: folder), isHostile: isHostile)
        do { try await body(service) } catch {
            await service.stop()
            throw error
        }
        await service.stop()
        try FileManager.default.removeItem(at: folder)
    }

    /// Two devices make, change and delete rows, see each other's, and edit one at the same time.
    /// - Returns: the titles of the items that are left.
    private static func sync(_ service: RecordingService) async throws -> [String] {
        @Sendable func put(_ account: AccountRuntime, _ entity: String, _ title: String, name: String? = nil, list: String? = nil) async throws -> String {
            var properties: [String: ScalarForm] = ["title": .string(title)]
            if let list { properties["list"] = .string(list) }
            return try await account.put(PutRequest(entity: entity, name: name, properties: properties)).name
        }
        let names = try await service.run("a") { account in
            let list = try await put(account, "List", "list")
            var names: [String] = []
            for number in 0..<12 { names.append(try await put(account, "Item", "item \(number)", list: list)) }
            _ = try await account.settle()
            return names
        }
        try await service.run("b") { account in
            _ = try await account.settle()
            _ = try await put(account, "Item", "edited by b", name: names[0])
            _ = try await account.delete(RecordName(names[1]))
            _ = try await put(account, "Item", "made by b")
            _ = try await account.settle()
        }
        try await service.run("a") { account in
            // Before it has heard of the other's edits.
            _ = try await put(account, "Item", "edited by a", name: names[0])
            _ = try await put(account, "Item", "edited by a too", name: names[2])
            _ = try await account.delete(RecordName(names[3]))
            _ = try await account.settle()
        }
        let (a, b) = (try await service.run("a") { try await $0.settle() }, try await service.run("b") { try await $0.settle() })
        #expect(a.digest == b.digest && a.pending == 0 && b.pending == 0)
        let edited = try await service.run("b") { try await $0.row(named: RecordName(names[0])).attributes["title"] }
        let kept = (4..<12).map { "item \($0)" } + ["made by b", "edited by a too"]
        guard case .string(let winner)? = edited else { throw CocoaError(.coderReadCorrupt) }
        return (kept + [winner]).sorted()
    }

    @Test(arguments: Engine.allCases)
    func `every request of a sync comes again, in order, in any order, twice at once and in pieces: the state stays as it is`(engine: Engine) async throws {
        try await Self.with(engine) { service in
            let titles = try await Self.sync(service)
            #expect(try await service.titles() == titles)
            let (requests, state) = (service.requests, try await service.state())
            #expect(requests.contains { $0.path.hasSuffix(Endpoint.recordsModify.rawValue) } && requests.count >= 12)
            for request in requests {
                let answer = await service.answer(request)
                #expect(answer.status < 500, "\(request.path): \(answer.status)")
                // A batch with an id is not carried out again, it is answered again.
                if request.headers[SluiceHeader.idempotencyKey] != nil { #expect(answer.status != 200 || answer.headers[SluiceHeader.replayed] == "1") }
            }
            #expect(try await service.state() == state)
            var random = Seeded(state: 7)
            for _ in 0..<2 {
                for request in requests.shuffled(using: &random) { #expect(await service.answer(request).status < 500) }
            }
            #expect(try await service.state() == state)
            for request in requests {
                async let first = service.answer(request)
                async let second = service.answer(request)
                let answers = await [first, second]
                #expect(answers.allSatisfy { $0.status < 500 })
            }
            #expect(try await service.state() == state)
            for request in requests where !request.body.isEmpty {
                for count in Set([0, request.body.count / 3, request.body.count - 1]) {
                    let answer = await service.answer(RecordingService.cut(request, to: count))
                    #expect(answer.status < 500, "\(request.path) cut to \(count): \(answer.status)")
                }
            }
            #expect(try await service.state() == state)
            #expect(try await service.titles() == titles)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a network that delivers a piece of every request first, and then all of it twice, makes no difference`(engine: Engine) async throws {
        try await Self.with(engine, isHostile: true) { service in
            let titles = try await Self.sync(service)
            #expect(try await service.titles() == titles)
        }
    }
}

/// Pseudo-random with a seed, so that a failure can be replayed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
