// Where a simulation can be made to do something else than the code it runs: between the core, the journal, the network and the store. The
// broken variants stand here, so that no production source has a switch for them.

import SluiceRecords
package import SluiceSync

/// Passes everything on unchanged; a broken variant overrides what it breaks.
package class Seams {
    package init() {}

    /// What the core is told; empty keeps it from hearing of it.
    func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] { [event] }
    /// What is done of what the core wants done.
    func effects(_ effect: SyncEffect, _ device: SimulatedDevice) throws -> [SyncEffect] { [effect] }
    /// What is sent. `attempt` counts from 1 for each operation id.
    func request(_ request: ExchangeRequest, for effect: SyncEffect, attempt: Int, _ device: SimulatedDevice) throws -> ExchangeRequest { request }
    /// What the device reads of an answer.
    func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer { answer }
    /// Before the first half of an effect.
    func willBegin(_ effect: SyncEffect, _ device: SimulatedDevice) throws {}
    /// Between an answer and its step in the store.
    func willFinish(_ effect: SyncEffect, _ answer: ExchangeAnswer, _ device: SimulatedDevice) throws {}
    /// After a step in the store.
    func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {}
    /// The process of a device begins: the store is open, the core knows nothing yet.
    func willStart(_ device: SimulatedDevice) throws {}
    /// The process of a device has ended while these answers had come and were not recorded.
    func died(_ device: SimulatedDevice, unrecorded: [(effect: SyncEffect, answer: ExchangeAnswer)]) throws {}
    /// Milliseconds since 1970 of the service's clock as a device reads it.
    func serviceTime(_ time: Int64?, _ device: SimulatedDevice) -> Int64? { time }
}
