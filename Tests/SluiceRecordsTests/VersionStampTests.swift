import Foundation
import Testing

@testable import SluiceRecords

@Suite struct VersionStampTests {
    @Test func `change tags and sync tokens read back, and each has one spelling`() throws {
        let tag = ChangeTag(sequence: 42, nonce: 0xAB)
        #expect(tag.text == "1.42.00000000000000ab")
        #expect(ChangeTag(text: tag.text) == tag)
        for text in ["", "1e", "1.042.00000000000000ab", "1.42.00000000000000AB", "1.-1.00000000000000ab", "2.42.00000000000000ab", tag.text + "."] {
            #expect(ChangeTag(text: text) == nil)
        }
        let token = SyncToken(.zone, epoch: Epoch(rawValue: 1), sequence: .max, nonce: .max)
        #expect(try SyncToken(text: token.text, scope: .zone) == token)
        let whole = SyncToken(.zone, epoch: Epoch(rawValue: 1), origin: 5, sequence: 9, nonce: 4, position: 7)
        #expect(try SyncToken(text: whole.text, scope: .zone) == whole && whole.text.hasPrefix("z2."))
        #expect(token.text.hasPrefix("z1."))
        let middle = SyncToken(.zone, epoch: Epoch(rawValue: 1), sequence: 9, nonce: 4, position: 7)
        #expect(try SyncToken(text: middle.text, scope: .zone) == middle)
        #expect([token.start, middle.start] == [.max, 7])
    }

    @Test func `a token that means nothing is told apart from one that is cut off`() throws {
        let token = SyncToken(.database, epoch: Epoch(rawValue: 1), sequence: 3, nonce: 4).text
        #expect(throws: SyncToken.Fault.unknownKind) { try SyncToken(text: "garbage", scope: .zone) }
        #expect(throws: SyncToken.Fault.unknownKind) { try SyncToken(text: token, scope: .zone) }
        #expect(throws: SyncToken.Fault.malformed) { try SyncToken(text: String(token.dropLast()), scope: .database) }
        #expect(throws: SyncToken.Fault.malformed) { try SyncToken(text: "d1", scope: .database) }
        #expect(throws: SyncToken.Fault.malformed) { try SyncToken(text: token + ".2", scope: .database) }
        #expect(throws: SyncToken.Fault.malformed) { try SyncToken(text: "z1" + token.dropFirst(2) + ".3", scope: .zone) }
    }

    @Test func `every error code survives, and the known ones are distinct and have a status`() throws {
        #expect(Set(ServerErrorCode.known.map(\.rawValue)).count == ServerErrorCode.known.count)
        for code in ServerErrorCode.known {
            #expect(ServerErrorCode(rawValue: code.rawValue) == code)
            #expect((400..<600).contains(code.httpStatus))
        }
        let error = ServerError(ServerErrorCode(rawValue: "NEW_CODE"), "r")
        #expect(try ServerError(JSONValue(parsing: error.encoded()).asObject()) == error)
    }

    @Test func `a path names its database and endpoint`() throws {
        let database = DatabasePath(container: "iCloud.example", environment: .production, scope: .private)
        for endpoint in Endpoint.allCases {
            let parsed = try #require(DatabasePath.parse(database.path(of: endpoint)))
            #expect(parsed.database == database && parsed.endpoint == endpoint.rawValue)
        }
        #expect(DatabasePath.parse("/database/1/c/production/private/users/lookup/email")?.endpoint == "users/lookup/email")
        for path in ["/", "/database/2/c/production/private/records/modify", "/database/1/c/test/private/records/modify", "/database/1/c/production/x/a/b"] {
            #expect(DatabasePath.parse(path) == nil)
        }
    }
}
