// What sync knows of records, across a step of a migration. Structure and defaults send nothing; this is about what the two shapes do not
// share:
//
// - A property that goes: its field stays on the service, for devices that have it still. What is here of it is kept as any field is that
//   this device's schema does not know, and edits of it that nobody heard of yet stay owed to the service (OwedFields).
// - A property that comes may have been written by newer devices long ago: those values take the place of defaults, and of what a stage's
//   code makes up.
// - A relationship that is kept elsewhere now has other fields or records on the wire: they are sent, with nobody's edit behind them.
// - Records of an entity that goes are left alone on the service, and unsent edits of them are owed too. If the entity ever comes back, everything is fetched anew.

import Foundation
package import SluiceRecords
import SluiceSQLite
package import SluiceSchema
package import SluiceStore

/// Brings an account's knowledge of records through the steps of one migration. Used on the migration's executor.
package final class SyncedUpgrade: UpgradeCompanion {
    private let zone: ZoneID
    /// No edit is stamped later than this, in milliseconds since 1970.
    private let latestStamp: Int64

    /// - Parameter latestStamp: no edit that is owed is stamped later.
    package init(zone: ZoneID, latestStamp: Int64) {
        self.zone = zone
        self.latestStamp = latestStamp
    }

    package func willAdvance(_ store: Store, by change: SchemaChange) throws {
        guard store.capturesChanges else { return }
        let leaving = LeavingFields(store: store, change: change)
        guard !leaving.isEmpty else { return }
        let journal = try SyncJournal(store: store, zone: zone)
        try store.write {
            try store.drainChanges()
            try leaving.owe(with: journal, latestStamp: latestStamp)
            try leaving.keep(with: journal.mapping)
            for type in leaving.types { try store.set(.integer(1), for: Self.key(ofType: type)) }
        }
    }

    package func willRunCode(_ store: Store, after change: SchemaChange) throws {
        guard store.capturesChanges else { return }
        var fields = ArrivedFields(journal: try SyncJournal(store: store, zone: zone), change: change)
        guard !fields.isEmpty else { return }
        try store.write { try fields.apply() }
    }

    package func didFinish(_ store: Store, _ change: SchemaChange) throws {
        guard store.capturesChanges else { return }
        let journal = try SyncJournal(store: store, zone: zone)
        var fields = ArrivedFields(journal: journal, change: change)
        try store.write {
            try fields.apply()
            try fields.settle()
            try MovedFields(store: store, change: change).resend()
            var mustFetch = fields.mustFetch
            // Tables of pairs are no entities of the schema, and come and go with relationships.
            let known = Set(change.layout.old.sortedEntities.map(\.wireName))
            for entity in change.layout.new.sortedEntities where !entity.isLocalOnly && !known.contains(entity.wireName) {
                let key = Self.key(ofType: entity.wireName)
                guard let noted = try store.setting(key), !noted.isNull else { continue }
                try store.set(.null, for: key)
                try store.outdateDeparted(ofType: entity.wireName)
                mustFetch = true
            }
            if mustFetch { try store.setSyncValue(.integer(1), for: .refetch) }
        }
    }

    private static func key(ofType type: String) -> String { "left.\(type)" }
}
