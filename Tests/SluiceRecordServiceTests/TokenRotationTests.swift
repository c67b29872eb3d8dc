import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// User tokens that give way to others, over TLS.
@Suite(.timeLimit(.minutes(10))) struct TokenRotationTests {
    private func issue(_ kind: TokenRotation, in fixture: ServiceFixture) async throws -> AccessToken {
        var random = SystemRandomNumberGenerator()
        let token = AccessToken.user(&random)
        var new = NewToken(.user(name: "ann", holder: "web"), digest: token.digest, container: fixture.path.container, environment: fixture.path.environment)
        new.rotation = .init(kind, successor: token.successor(key: fixture.storage.assetKey).digest)
        try await fixture.storage.addToken(new)
        return token
    }

    /// One request; its status and the token that its answer names.
    private func call(
        _ fixture: ServiceFixture, _ token: String, isSluice: Bool = false, endpoint: Endpoint = .usersCaller
    ) async throws -> (status: Int, next: String?, grace: String?) {
        let path = fixture.path.path(of: endpoint)
        let answer =
            if isSluice {
                try await fixture.send(.get, path, headers: [HTTPHeader("Authorization", "Bearer \(token)"), HTTPHeader(SluiceHeader.client, "tests/1")])
            } else {
                try await fixture.send(.get, "\(path)?ckAPIToken=\(fixture.apiToken.text)&ckWebAuthToken=\(token)")
            }
        #expect(answer.header(SluiceHeader.webAuthToken) == answer.header(SluiceHeader.session))
        if answer.status == 421 {
            #expect(try answer.code == "AUTHENTICATION_REQUIRED")
            #expect(try answer.json.string("redirectURL")?.hasSuffix("/sign-in") == true)
        }
        return (answer.status, answer.header(SluiceHeader.webAuthToken), answer.header(SluiceHeader.tokenGrace))
    }

    @Test func `a strict token is good until its successor is used, and every answer names that`() async throws {
        try await ServiceFixture.run { fixture in
            let first = try await issue(.strict, in: fixture).text
            let one = try await call(fixture, first)
            let second = try #require(one.next)
            #expect(one.status == 200 && second != first && second.hasPrefix("slu1_") && one.grace == nil)
            // The answer was lost: the same token, and the same successor.
            #expect(try await call(fixture, first).next == second)
            let two = try await call(fixture, second, isSluice: true)
            let third = try #require(two.next)
            #expect(two.status == 200 && ![first, second].contains(third) && two.grace == nil)
            #expect(try await call(fixture, first).status == 421)
            // Also an error brings it.
            let refused = try await call(fixture, second, isSluice: true, endpoint: .zoneChanges)
            #expect(refused.status == 400 && refused.next == third)
            #expect(try await call(fixture, third).status == 200)
            #expect(try await call(fixture, second).status == 421)
        }
    }

    @Test func `a lenient token that is young stays as it is`() async throws {
        try await ServiceFixture.run { fixture in
            let first = try await issue(.lenient, in: fixture).text
            let young = try await call(fixture, first)
            #expect(young.status == 200 && young.next == first)
            let answer = try await call(fixture, first, isSluice: true)
            #expect(answer.next == nil && answer.grace == nil)
        }
    }

    @Test func `who has no rotating token gets back what came`() async throws {
        try await ServiceFixture.run { fixture in
            let token = fixture.userToken.text
            let (inQuery, inHeader) = (try await call(fixture, token).next, try await call(fixture, token, isSluice: true).next)
            #expect(inQuery == token && inHeader == nil)
            let unknown = try await call(fixture, "slu1_unknown").status
            #expect(unknown == 421)
        }
    }

    @Test func `a revoked token takes its successor along`() async throws {
        try await ServiceFixture.run { fixture in
            let first = try await issue(.strict, in: fixture).text
            let next = try #require(try await call(fixture, first).next)
            let id = try #require(await fixture.storage.tokens().first { $0.rotation == .strict }).id
            #expect(try await fixture.storage.revokeToken(id: id))
            for token in [first, next] { #expect(try await call(fixture, token).status == 421) }
        }
    }
}
