// CloudKit Web Services as the other end, with Apple's habits only. Written from Apple's reference and from what others saw of the real
// service, not from `SluiceRecordService`: a mistake that was made there is not made here again. No extension of Sluice's is in it: no epoch,
// no limits that are told, no memory of operation ids, no long poll.
//
// Values and rules stand in files of their own: Zone.swift (records, tags, feed), Modification.swift, Feed.swift and the
// other endpoints; Habits.swift says what it does where the document leaves room, Fault.swift what a test lets go wrong.

package import Foundation
package import SluiceHTTPServer
package import SluiceJSON
import Synchronization

/// A running double. Made by `start`, ended by `stop`; everything of it may be called from any thread.
///
///     let cloud = try CloudKitDouble.start(tls: identity)
///     let token = cloud.signIn("_ann")
///     …
///     #expect(cloud.complaints.isEmpty)
///     await cloud.stop()
package final class CloudKitDouble: Sendable {
    /// The container's API token, 64 hexadecimal digits as Apple's are.
    package static let apiToken = String(repeating: "5c", count: 32)

    private let server: HTTPServer
    private let contents: Shared

    /// What requests and tests share.
    final class Shared: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }
    }

    /// Starts it on a free port of 127.0.0.1.
    /// - Parameter tls: its certificate and key; nil for plain HTTP.
    package static func start(tls: TLSIdentity?, habits: Habits = Habits()) throws -> CloudKitDouble {
        let shared = Shared(State(habits: habits))
        var configuration = ServerConfiguration()
        configuration.tls = tls
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0), configuration) { request in
            shared.state.withLock { $0.answer(request, at: Int64(Date().timeIntervalSince1970 * 1_000)) }
        }
        return CloudKitDouble(server, shared)
    }

    private init(_ server: HTTPServer, _ contents: Shared) {
        self.server = server
        self.contents = contents
    }

    package var port: UInt16 { server.port ?? 0 }

    package func stop() async { await server.stop(within: .seconds(2)) }

    // MARK: What a test does with it

    /// A fresh user token, as a person gets one who signs in; it has all the characters that must be escaped in a URL.
    package func signIn(_ user: String) -> String { contents.state.withLock { $0.signIn(user) } }

    /// Ends every token of a user: two weeks are over.
    package func expireTokens(of user: String) { contents.state.withLock { $0.tokens = $0.tokens.filter { $0.value != user } } }

    /// Changes what it does from now on.
    package func change(_ body: @Sendable (inout Habits) -> Void) { contents.state.withLock { body(&$0.habits) } }

    /// Lets something go wrong, after whatever was scripted before.
    package func script(_ faults: Fault...) { contents.state.withLock { $0.faults += faults } }

    /// Whether everything that was scripted has happened.
    package var isScriptOver: Bool { contents.state.withLock { $0.faults.isEmpty } }

    /// What was asked so far.
    package var calls: [Call] { contents.state.withLock { $0.calls } }

    /// What a client did that it must not do, in the order it happened.
    package var complaints: [String] { contents.state.withLock { $0.complaints } }

    /// The records of a zone by name, as JSON; nil where there is no such zone.
    package func records(of user: String, in zone: String) -> [String: JSONObject]? {
        contents.state.withLock { $0.zones[ZoneKey(user: user, name: zone)]?.live }
    }

    /// How often a record of that name came into being.
    package func creationCount(of record: String, user: String, in zone: String) -> Int {
        contents.state.withLock { $0.zones[ZoneKey(user: user, name: zone)]?.creations[record] ?? 0 }
    }

    /// Every token of the zone's feed that was given out so far is of no use any more.
    package func expireSyncTokens(of user: String, in zone: String) {
        contents.state.withLock { $0.zones[ZoneKey(user: user, name: zone)]?.forgetTokens() }
    }

    /// A person deletes the zone, by another client or in Settings: the web feed does not tell the two apart.
    package func deleteZone(_ zone: String, of user: String) {
        contents.state.withLock { $0.deleteZone(ZoneKey(user: user, name: zone)) }
    }

    /// Another client, which knows nothing of Sluice, changes some fields of a record, or deletes it where `fields` is nil.
    package func edit(_ record: String, of user: String, in zone: String, fields: [String: JSONValue]?) {
        contents.state.withLock { state in
            let time = Int64(Date().timeIntervalSince1970 * 1_000)
            state.zones[ZoneKey(user: user, name: zone)]?.editAsForeigner(record, fields: fields, at: time, by: user)
        }
    }
}

/// One request, as a test looks at it.
package struct Call: Sendable {
    /// `records/modify` and so on.
    package var endpoint: String
    /// As it was received, query included.
    package var target: String
    package var body: Data
    /// Operations of `records/modify`, names of `records/lookup`.
    package var count = 0
    /// The user token that came.
    package var token: String?
    /// Milliseconds since 1970.
    package var time: Int64
}
