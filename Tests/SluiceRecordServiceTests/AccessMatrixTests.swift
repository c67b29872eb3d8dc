import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Every endpoint, asked by whoever has no business there: another user, a token of another container, a token of the other environment.
/// Nothing of the owner's is told, and nothing of it changes.
@Suite(.timeLimit(.minutes(10))) struct AccessMatrixTests {
    private static let secret = "of-ann-alone"

    /// What each endpoint is asked for; several things where it does several.
    private static func bodies(_ endpoint: Endpoint, tag: String, token: String) -> [String] {
        let zone = #""zoneID":{"zoneName":"Notes"}"#
        let fields = #""fields":{"title":{"value":"taken"}}"#
        switch endpoint {
        case .usersCaller, .usersCurrent, .zonesList: return ["{}"]
        case .zonesLookup: return [#"{"zones":[{"zoneName":"Notes"},{"zoneName":"Secret"}]}"#]
        case .zonesModify:
            return [
                #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Secret"}}}]}"#,
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#,
            ]
        case .recordsModify:
            return ["create", "forceUpdate", "forceReplace", "forceDelete"].map {
                #"{"operations":[{"operationType":"\#($0)","record":{"recordName":"r","recordType":"T",\#(fields)}}],\#(zone)}"#
            } + ["update", "replace", "delete"].map {
                #"{"operations":[{"operationType":"\#($0)","record":{"recordName":"r","recordType":"T","recordChangeTag":"\#(tag)",\#(fields)}}],\#(zone)}"#
            }
        case .recordsLookup: return [#"{"records":[{"recordName":"r"}],\#(zone)}"#]
        case .recordsQuery: return [#"{\#(zone),"query":{"recordType":"T"}}"#, #"{"zoneWide":false,"query":{"recordType":"T"}}"#]
        case .recordsChanges: return [#"{\#(zone)}"#]
        case .zoneChanges:
            return [#"{"zones":[{\#(zone)}]}"#, #"{"zones":[{\#(zone),"syncToken":"\#(token)"}]}"#, #"{"zones":[{"zoneID":{"zoneName":"Secret"}}]}"#]
        case .databaseChanges: return ["{}"]
        case .assetsUpload: return [#"{\#(zone),"tokens":[{"recordName":"r","recordType":"T","fieldName":"file"}]}"#]
        case .assetsRereference: return [#"{\#(zone),"assets":[{"recordName":"r","recordType":"T","fieldName":"file"}]}"#]
        }
    }

    /// Somebody who asks, and what for.
    private struct Intruder {
        let name: String
        let token: AccessToken
        let apiToken: AccessToken?
        let path: DatabasePath
        /// Whether the token is good for the path: then there is an answer, of an empty database of its own.
        let isLetIn: Bool
    }

    private static func intruders(_ fixture: ServiceFixture) async throws -> [Intruder] {
        var random = SystemRandomNumberGenerator()
        func issue(_ kind: NewToken.Kind, _ token: AccessToken, _ path: DatabasePath) async throws {
            try await fixture.storage.addToken(NewToken(kind, digest: token.digest, container: path.container, environment: path.environment))
        }
        let otherContainer = DatabasePath(container: "iCloud.other", environment: .development, scope: .private)
        let otherEnvironment = DatabasePath(container: fixture.path.container, environment: .production, scope: .private)
        var intruders = [Intruder(name: "another user", token: fixture.strangerToken, apiToken: fixture.apiToken, path: fixture.path, isLetIn: true)]
        for (name, path) in [("another container", otherContainer), ("the other environment", otherEnvironment)] {
            // The same person's there.
            let (api, user) = (AccessToken.api(&random), AccessToken.user(&random))
            try await issue(.api, api, path)
            try await issue(.user(name: "ann", holder: "phone"), user, path)
            intruders += [
                Intruder(name: "\(name), with its token", token: user, apiToken: api, path: path, isLetIn: true),
                Intruder(name: "\(name)'s token here", token: user, apiToken: api, path: fixture.path, isLetIn: false),
                Intruder(name: "a token of here at \(name)", token: fixture.userToken, apiToken: fixture.apiToken, path: path, isLetIn: false),
                // One good token does not make the other good.
                Intruder(name: "\(name)'s user token, the API token of here", token: user, apiToken: fixture.apiToken, path: fixture.path, isLetIn: false),
            ]
        }
        return intruders
    }

    /// Everything of the owner's, with versions.
    private static func state(_ fixture: ServiceFixture) async throws -> [String] {
        var state = [try await fixture.sluice(.zonesList, Empty()).text]
        for zone in ["Notes", "Secret"] {
            state.append(try await fixture.sluice(.zoneChanges, ZoneChangesRequest(zones: [.init(ZoneID(zone))])).text)
        }
        return state
    }

    private struct Empty: WireEncodable {
        func write(to writer: inout JSONWriter) throws(WireError) {
            writer.beginObject()
            writer.endObject()
        }
    }

    @Test func `no endpoint tells or changes anything of another user, another container or another environment`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            try await fixture.makeZone("Secret")
            let record = Record("r", type: "T", fields: ["title": Field(.string(Self.secret))])
            let written = try await fixture.write([RecordOperation(.create, record)])
            let tag = try #require(try RecordsResponse(decoding: written.body).records.first?.changeTag)
            let token = try #require(try await Self.syncToken(fixture))
            let state = try await Self.state(fixture)
            for intruder in try await Self.intruders(fixture) {
                for endpoint in Endpoint.allCases {
                    for body in Self.bodies(endpoint, tag: tag, token: token) {
                        for answer in try await Self.answers(intruder, endpoint, body, fixture) {
                            #expect(!answer.text.contains(Self.secret), "\(intruder.name): \(endpoint.rawValue) \(body)")
                            #expect(answer.status < 500, "\(intruder.name): \(endpoint.rawValue) \(body)")
                            if !intruder.isLetIn { #expect([401, 421].contains(answer.status), "\(intruder.name): \(endpoint.rawValue) gave \(answer.status)") }
                        }
                    }
                }
                #expect(try await Self.state(fixture) == state, "\(intruder.name)")
            }
        }
    }

    private static func syncToken(_ fixture: ServiceFixture) async throws -> String? {
        if case .changes(let page)? = try await fixture.feed().zones.first { page.syncToken } else { nil }
    }

    /// By both ways in: the token in a header, and both tokens in the query.
    private static func answers(_ intruder: Intruder, _ endpoint: Endpoint, _ body: String, _ fixture: ServiceFixture) async throws -> [ServiceFixture.Answer] {
        let target = intruder.path.path(of: endpoint)
        let headers = [HTTPHeader("Authorization", "Bearer \(intruder.token.text)"), HTTPHeader(SluiceHeader.client, "tests/1")]
        var answers = [try await fixture.send(.post, target, headers: headers, body: Data(body.utf8))]
        if let api = intruder.apiToken {
            answers.append(try await fixture.send(.post, "\(target)?ckAPIToken=\(api.text)&ckWebAuthToken=\(intruder.token.text)", body: Data(body.utf8)))
        }
        return answers
    }
}
