// A whole run as a value: what there is, how rough the network is, and what happens when. The same scenario gives the same run, byte for byte.
// A step draws what it has to draw (which row is edited, which record is refused) from a number of its own, so that taking another step
// away changes nothing but what follows from that step.

/// What happens in a run.
package struct Scenario: Hashable, Sendable {
    /// How a run goes wrong. Misfortunes after which nothing says which word was the last are not mixed.
    package enum Theme: String, CaseIterable, Sendable {
        case roughNetwork, brokenDisks, wrongClocks, restoredService, forgetfulService, foreignClients, oldBackups, upgrades, accounts, deletedZone
    }

    package enum Storage: String, CaseIterable, Sendable {
        /// The service's tables in memory, on one connection.
        case memory
        /// The service's own storage in a file: writer, readers and group commit as they are deployed.
        case file
    }

    /// Per cent of requests that meet each fault of the network, and the longest delay one way.
    package struct Network: Hashable, Sendable {
        package var faults: [Fault: Int] = [:]
        /// Milliseconds.
        package var delay: Int64 = 200

        package init() {}

        /// Those that strike single requests.
        package static let kinds: [Fault] = [
            .requestLost, .requestTruncated, .answerLost, .requestDuplicated, .answerTruncated, .resetBeforeEffect, .resetAfterEffect, .gatewayError,
        ]
    }

    package struct Step: Hashable, Sendable {
        /// Milliseconds after the step before it.
        package var after: Int64
        package var action: Action
        package var device: Int
        /// What the step draws from.
        package var draw: UInt32
        /// How long, how far or how many, as the action has it; 0 where it needs nothing.
        package var amount: Int64
        /// For steps that name what they write; nil draws.
        package var edit: NamedEdit?

        package init(_ action: Action, device: Int = 0, after: Int64 = 0, draw: UInt32 = 0, amount: Int64 = 0, edit: NamedEdit? = nil) {
            self.after = after
            self.action = action
            self.device = device
            self.draw = draw
            self.amount = amount
            self.edit = edit
        }
    }

    /// What a person writes, in a scenario that was written by hand.
    package struct NamedEdit: Hashable, Sendable {
        package enum Entity: String, CaseIterable, Sendable {
            /// A record of that name, with the text.
            case note
            /// One whose key is `record`, which makes its name.
            case topic
            /// A record of that name whose unique label is the text.
            case tag
        }

        package var entity: Entity
        package var record: String
        package var text: String

        package init(_ entity: Entity = .note, record: String, text: String) {
            self.entity = entity
            self.record = record
            self.text = text
        }
    }

    package enum Action: String, CaseIterable, Sendable {
        /// A person, an import or another program edits rows; `edit` says what, else it is drawn.
        case edit
        /// Deletes the record that `edit` names, or a drawn one.
        case delete
        /// The schedule's pull.
        case poll
        /// The process ends; it starts again after `amount` milliseconds.
        case crash
        /// The process ends inside one of the next transactions; `amount` counts questions of SQLite's virtual machine until then.
        case crashInTransaction
        /// The power goes, at once or inside one of the next transactions (`amount` as of a crash): what was not synced is lost, or a part of it.
        case losePower, losePowerInTransaction
        /// Some writes of the store fail, after `amount` have passed.
        case failWrites
        /// For `amount` milliseconds nothing can be added to the store.
        case fillDisk
        /// Moves the device's clock by `amount` milliseconds.
        case moveClock
        /// For `amount` milliseconds nothing gets through, nothing to the service, nothing from it.
        case partition, partitionOutward, partitionInward
        /// The service's process ends and starts again; what it had not answered is not answered.
        case restartService
        /// The next `amount` writes of the service fail as if its disk did.
        case failStorage
        /// The service refuses one record, drawn or named by `edit`, for good (`amount` 0) or for now.
        case refuse
        /// It refuses nothing more.
        case accept
        /// For `amount` milliseconds the service answers 429.
        case throttle
        /// For `amount` milliseconds the account's quota is used up.
        case fillQuota
        /// `amount` days pass, and the service does its upkeep.
        case passDays
        /// The service's file is copied; put back, as a new timeline (`amount` 1) or without a word.
        case copyService, restoreService
        /// A client without our metadata edits, makes or deletes a record.
        case foreignWrite
        /// Somebody deletes the zone, the user purges it (`amount` 1), or resets encrypted data (`amount` 2); somebody else makes it again.
        case deleteZone, remakeZone
        case pause, resume
        /// The device's token names another user; its own again.
        case switchAccount, switchBack
        /// The device's token is not accepted; a new one is.
        case revokeToken, renewToken
        /// The device's store is backed up; put back; copied to a new device; lost.
        case backUpDevice, restoreDevice, cloneDevice, loseState
        /// The device's program is the next version.
        case upgrade
        /// A helper of the device looks at the local store.
        case look
    }

    /// Whether anything in it is about power, or about writes that fail.
    var needsFallibleDisk: Bool {
        let actions: Set<Action> = [.losePower, .losePowerInTransaction, .failWrites]
        let faults: Set<Fault> = [.powerLoss, .powerLossInTransaction, .writeFailed]
        return steps.contains { actions.contains($0.action) } || aim.map { faults.contains($0.fault) } ?? false
    }

    package var seed: UInt64
    package var theme: Theme
    package var deviceCount: Int
    package var storage: Storage
    package var network: Network
    /// What the service takes in one request, and puts on one page.
    package var operations: Int
    /// Requests per second and device.
    package var rate: Int
    /// Processes of the service on one storage; requests take turns at them.
    package var processes = 1
    package var steps: [Step]
    /// What is to strike whoever comes to a phase first; nil: nothing beyond the steps.
    package var aim: Aim?

    package init(
        seed: UInt64, theme: Theme = .roughNetwork, deviceCount: Int = 2, storage: Storage = .memory, network: Network = Network(),
        operations: Int = 200, rate: Int = 500, steps: [Step] = []
    ) {
        self.seed = seed
        self.theme = theme
        self.deviceCount = deviceCount
        self.storage = storage
        self.network = network
        self.operations = operations
        self.rate = rate
        self.steps = steps
    }
}
