import SluiceSchema
import SluiceStore

/// Unsent changes, some at a time.
package struct OutboxResponse: Codable, Sendable {
    package var entries: [Entry]
    /// Where the next question goes on; nil at the end.
    package var position: Int64?

    package struct Entry: Codable, Sendable {
        package var position: Int64
        package var name: String
        package var entity: String
        /// `insert`, `update` or `delete`.
        package var change: String
        /// `waiting`, `inFlight`, `lookUp`, `later` or `setAside`.
        package var state: String
        /// The operation's id, the time of the next attempt (milliseconds since 1970), or why the service refused it.
        package var detail: String?
        package var properties: [String]
        /// Milliseconds since 1970.
        package var since: Int64?
        package var attempts: Int

        init(_ entry: OutboxEntry) {
            (position, name, entity, change) = (entry.number, entry.name.text, entry.entity, entry.change.rawValue)
            (properties, since, attempts) = (entry.properties, entry.since, entry.attempts)
            (state, detail) = switch entry.state {
            case .waiting: ("waiting", nil)
            case .inFlight(let operation): ("inFlight", operation)
            case .lookUp: ("lookUp", nil)
            case .later(let time): ("later", "\(time)")
            case .setAside(let reason): ("setAside", reason)
            }
        }
    }
}

/// Lets records that were set aside be sent again.
package struct RetryRequest: Codable, Sendable {
    /// nil for all of them.
    package var name: String?

    package init(name: String?) { self.name = name }
}

package struct RetryResponse: Codable, Sendable {
    package var count: Int
}

package struct DropResponse: Codable, Sendable {
    package var name: String
    /// `lookedUp`, `removed`, `fetchedAnew` or `forgotten` (`DropOutcome`).
    package var outcome: String
}
