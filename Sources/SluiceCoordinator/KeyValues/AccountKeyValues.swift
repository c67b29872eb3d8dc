import Foundation
package import SluiceGroup
package import SluiceReader
import SluiceSchema
import SluiceSync

extension AccountPlan {
    /// The account beside the account that keeps its key-value store.
    func keyValuePlan() throws -> AccountPlan {
        var plan = AccountPlan(
            name: "\(name) keyvalues", stateDirectory: "\(stateDirectory)/keyvalues", schema: .fixed(try KeyValueTable.schema),
            zone: "\(zone).keyvalues", service: service, http: http, credentials: credentials)
        plan.tokenDirectory = stateDirectory
        plan.pollInterval = pollInterval
        plan.pushDelay = pushDelay
        plan.historyRetention = .seconds(0)
        plan.isKeyValueStore = true
        return plan
    }
}

extension AccountRuntime {
    /// The runtime of the key-value store.
    /// - Throws: `ControlFailure` where the account file does not ask for one.
    private nonisolated func keyValueRuntime() throws -> AccountRuntime {
        guard let keyValues else {
            throw ControlFailure(
                code: "refused", message: "account \(name) keeps no synced values: write `keyValues: true` below `synced` in its file")
        }
        return keyValues
    }

    /// Every key with its value.
    package nonisolated func syncedValues() async throws -> [String: SharedValue] { try await keyValueRuntime().ownValues() }

    /// Sets a value, or removes it where it is nil; the latest edit of a key wins on all devices. It is on disk when this returns.
    /// - Throws: `SharedDefaultsFault` and `KeyValueFault`; nothing is then changed.
    package nonisolated func setSyncedValue(_ value: SharedValue?, for key: String) async throws {
        try await keyValueRuntime().setOwnValue(value, for: key)
    }

    /// What comes from other devices, from now on. It ends with the account.
    package nonisolated func syncedValueChanges() async throws -> AsyncStream<KeyValueChange> { try await keyValueRuntime().ownChanges() }

    /// Rows do not wait for the store of synced values; its own status says why it is not there.
    func openKeyValues() async {
        do { try await keyValues?.open() } catch {
            log(.error("account \(name): the synced values are not there: \(error)"))
            keyValues?.updateBoard { $0 = .failed($0.account, error) }
        }
    }

    private func ownValues() throws -> [String: SharedValue] { try KeyValueTable(store: openSession().store).all() }

    private func setOwnValue(_ value: SharedValue?, for key: String) throws {
        let table = KeyValueTable(store: try openSession().store)
        guard try writing({ try table.set(value, for: key, at: Date()) }) else { return }
        projectChanges()
        changedLocally()
    }

    private func ownChanges() throws -> AsyncStream<KeyValueChange> {
        _ = try openSession()
        let (changes, continuation) = AsyncStream.makeStream(of: KeyValueChange.self, bufferingPolicy: .bufferingNewest(1_024))
        guard let number = keyValueWatch?.add(continuation) else { return changes }
        continuation.onTermination = { _ in Task { await self.forget(number) } }
        return changes
    }

    private func forget(_ number: Int) { keyValueWatch?.remove(number) }

    /// Tells programs what came from elsewhere; called whenever rows may have.
    func noteKeyValueChanges() {
        guard plan.isKeyValueStore, let session else { return }
        do {
            let hasToken = try session.journal.token != nil
            if keyValueWatch == nil { keyValueWatch = try KeyValueWatch(session.store, hasToken: hasToken) }
            try keyValueWatch?.look(at: session.store, hasToken: hasToken)
        } catch { log(.error("account \(name): \(error)")) }
    }
}
