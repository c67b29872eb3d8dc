import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Tokens and keys, on every engine.
@Suite(.timeLimit(.minutes(10))) struct CredentialStorageTests {
    @Test(arguments: StorageEngine.allCases)
    func `a server-to-server key stands for one user, is known by its identifier, and is no token`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let (identifier, path) = (Data((0..<32).map { _ in UInt8.random(in: 0...255) }), StorageFixture.path)
        let expires = fixture.clock.now + 1_000
        let key = { (user: String) in
            NewToken(
                .serverKey(publicKey: Data("der".utf8), user: user, holder: "program"), digest: identifier, container: path.container,
                environment: path.environment, expires: expires)
        }
        try await fixture.storage.addToken(key("ann"))
        let found = try #require(await fixture.storage.serverKey(identifier: identifier, for: path))
        #expect(found.publicKey == Data("der".utf8) && found.caller.database == fixture.database && found.caller.holder == "program")
        #expect(try await fixture.storage.caller(digest: identifier, for: path) == nil)
        #expect(try await fixture.storage.acceptsAPIToken(digest: identifier, for: path) == false)
        let elsewhere = DatabasePath(container: path.container, environment: .production, scope: .private)
        #expect(try await fixture.storage.serverKey(identifier: identifier, for: elsewhere) == nil)
        #expect(try await fixture.storage.serverKey(identifier: Data(count: 32), for: path) == nil)
        do {
            try await fixture.storage.addToken(key("bob"))
            Issue.record("a key was added twice")
        } catch { #expect(error.description.contains("known already")) }
        let listed = try await fixture.storage.tokens()
        #expect(listed.map(\.keyIdentifier) == [nil, identifier] && listed[1].user == "ann")
        fixture.clock.advance(days: 1)
        #expect(try await fixture.storage.serverKey(identifier: identifier, for: path) == nil)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a key may be a user's first credential, and ends when it is revoked`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let (identifier, path) = (Data((0..<32).map { _ in UInt8.random(in: 0...255) }), StorageFixture.path)
        try await fixture.storage.addToken(
            NewToken(
                .serverKey(publicKey: Data([1]), user: "machine", holder: "machine"), digest: identifier, container: path.container, environment: path.environment))
        let caller = try #require(await fixture.storage.serverKey(identifier: identifier, for: path)).caller
        #expect(caller.database != fixture.database)
        // Nobody who knows the key's identifier can guess the user's record name.
        #expect(!caller.userRecordName.dropFirst().hasPrefix(identifier.prefix(4).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()))
        #expect(try await fixture.storage.zones(in: caller.database).count == 1)
        #expect(try await fixture.storage.revokeToken(id: caller.tokenID))
        #expect(try await fixture.storage.serverKey(identifier: identifier, for: path) == nil)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a lenient token is announced to go after ten minutes, and is good for ten more once its successor came`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let (storage, path, clock) = (fixture.storage, StorageFixture.path, fixture.clock)
        let digests = (0..<4).map { _ in Data((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        var new = NewToken(.user(name: "ann", holder: "web"), digest: digests[0], container: path.container, environment: path.environment)
        new.rotation = .init(.lenient, successor: digests[1])
        try await storage.addToken(new)
        let young = try #require(await storage.caller(digest: digests[0], for: path))
        #expect(young.rotation == .lenient && !young.isRotationDue)
        clock.advance(minutes: 10)
        #expect(try #require(await storage.caller(digest: digests[0], for: path)).isRotationDue)
        // Twice, as two requests may have it.
        for _ in 0..<2 {
            let next = try await storage.caller(digest: digests[1], for: path)
            let taken = try await storage.caller(rotatingTo: digests[1], successor: digests[2], for: path)
            #expect((next ?? taken)?.database == fixture.database)
        }
        #expect(try #require(await storage.caller(digest: digests[1], for: path)).isRotationDue == false)
        #expect(try await storage.caller(digest: digests[0], for: path) == nil)
        let before = try #require(await storage.caller(rotatingTo: digests[0], successor: digests[1], for: path))
        #expect(before.database == fixture.database && before.isRotationDue)
        clock.advance(minutes: 10)
        #expect(try await storage.caller(rotatingTo: digests[0], successor: digests[1], for: path) == nil)
        #expect(try await storage.caller(rotatingTo: digests[3], successor: digests[1], for: path) == nil)
        #expect(try await storage.caller(rotatingTo: digests[2], successor: digests[3], for: path) != nil)
        #expect(try await storage.tokens().last?.rotation == .lenient)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a strict token ends with the first use of its successor`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let (storage, path) = (fixture.storage, StorageFixture.path)
        let digests = (0..<3).map { _ in Data((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        var new = NewToken(.user(name: "ann", holder: "web"), digest: digests[0], container: path.container, environment: path.environment)
        new.rotation = .init(.strict, successor: digests[1])
        try await storage.addToken(new)
        #expect(try #require(await storage.caller(digest: digests[0], for: path)).isRotationDue)
        let elsewhere = DatabasePath(container: path.container, environment: .production, scope: .private)
        #expect(try await storage.caller(rotatingTo: digests[1], successor: digests[2], for: elsewhere) == nil)
        let next = try #require(await storage.caller(rotatingTo: digests[1], successor: digests[2], for: path))
        #expect(next.isRotationDue && next.rotation == .strict)
        #expect(try await storage.caller(digest: digests[0], for: path) == nil)
        #expect(try await storage.caller(rotatingTo: digests[0], successor: digests[1], for: path) == nil)
    }
}
