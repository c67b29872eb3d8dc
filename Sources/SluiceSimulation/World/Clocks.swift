import Synchronization

/// The true time of a simulation; it moves only when the simulation says so.
package final class WorldClock: Sendable {
    private let value: Atomic<Int64>

    init(_ milliseconds: Int64) { value = Atomic(milliseconds) }

    /// Milliseconds since 1970.
    package var now: Int64 { value.load(ordering: .relaxed) }

    func move(to milliseconds: Int64) { value.store(max(milliseconds, now), ordering: .relaxed) }
}

/// What a device takes for the time.
package final class DeviceClock: Sendable {
    private let world: WorldClock
    private let offset = Atomic<Int64>(0)

    init(_ world: WorldClock) { self.world = world }

    /// Milliseconds since 1970.
    package var now: Int64 { world.now + skew }

    /// Milliseconds that it is fast.
    var skew: Int64 {
        get { offset.load(ordering: .relaxed) }
        set { offset.store(newValue, ordering: .relaxed) }
    }
}
