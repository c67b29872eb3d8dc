// What sync does to a store, each step one transaction: freezing operations, recording their outcomes, applying pages of the feed. No
// network and no clock: the caller brings answers and times. Used on the store's executor.

import Foundation
package import SluiceRecords
package import SluiceSchema
package import SluiceStore
import SluiceSQLite

/// The store's side of sync for one account.
package final class SyncJournal {
    package let store: Store
    package let zone: ZoneID
    package let mapping: RecordMapping
    /// This copy of the store, as the merge metadata names it.
    package private(set) var device: UInt64
    private let random: RandomSource
    /// By entity name.
    private let rules: [String: MergeRules]
    /// Whether the service keeps no merge metadata (MetadataRefusal.swift).
    var isWithoutMetadata = false
    /// Whether what is frozen now goes without it.
    var omitsMetadata = false

    /// - Throws: `PolicyFault` where a policy does not fit the store's schema.
    package init(store: Store, zone: ZoneID, policies: MergePolicies = MergePolicies(), random: RandomSource = .system) throws {
        self.store = store
        self.zone = zone
        self.random = random
        let schema = store.layout.schema
        if let fault = policies.fault(in: schema) { throw fault }
        rules = Dictionary(
            store.layout.sortedEntities.map { ($0.name, policies.rules(of: $0, in: schema)) }, uniquingKeysWith: { first, _ in first })
        mapping = RecordMapping(store.layout)
        try store.completeSyncTables()
        if let known = try store.syncValue(.device)?.integer {
            device = UInt64(bitPattern: known)
        } else {
            device = random.next()
            try store.setSyncValue(.integer(Int64(bitPattern: device)), for: .device)
        }
        isWithoutMetadata = try metadataIsRefused
    }

    /// Lets this copy of the store go by another name.
    func renewDevice() throws {
        device = random.next()
        try store.setSyncValue(.integer(Int64(bitPattern: device)), for: .device)
    }

    /// Who wins where both sides changed a field of such a record.
    func rules(of entity: StoredEntity) -> MergeRules {
        let found = rules[entity.name] ?? MergeRules(whole: .latestEdit)
        return isWithoutMetadata ? found.withoutMetadata : found
    }

    /// Whether the service may have forgotten an operation: sent once more, it could have its effect twice.
    /// - Parameter now: milliseconds since 1970 by this device's clock.
    package func mayBeForgotten(_ operation: FrozenOperation, at now: Int64) -> Bool {
        let age = now - operation.frozenAt
        // Once the clock has been put back nobody knows how old it is.
        return age > Int64(ServiceLimits.ledgerDays - 1) * 86_400_000 || age < -Store.longestDelay
    }

    /// The token to ask the feed with; nil for everything.
    package var token: String? {
        get throws { try store.syncValue(.token)?.text }
    }

    /// What the core is told when the store is open.
    package func started() throws -> SyncEvent {
        .started(
            hasToken: try token != nil, frozen: try store.queuedOperations(), isFullFetch: try isFullFetch,
            deletedZone: try store.syncValue(.deletedZone)?.text.flatMap { ZoneDeletionReason(rawValue: $0) })
    }

    /// The wire form of every row, with what newer devices wrote into it: equal digests mean equal records.
    package func forEachRecord(_ body: (RecordName, _ type: String, [String: Field]) throws -> Void) throws {
        for table in store.tablesToSend {
            for entity in store.layout.entities(in: table) where !entity.isAbstract {
                try store.forEachRow(of: entity) { row in
                    guard row.entity == entity.name else { return }
                    var fields = mapping.fields(of: row)
                    if let extra = try store.recordState(of: row.name)?.extra {
                        fields.merge(try [String: Field].decode(JSONValue(parsing: extra))) { own, _ in own }
                    }
                    try body(row.name, entity.wireName, fields)
                }
            }
        }
    }
}
