// A disk that loses what was not synced when the power goes, and that fails writes.

import Foundation
import SluiceSQLite
import Synchronization

/// The disk of one device, for as long as one process has its store open.
final class SimulatedDisk: FileObserver {
    fileprivate enum Change {
        case write(offset: Int64, bytes: Data, former: Data, size: Int64)
        case truncation(size: Int64, lost: Data)
    }

    fileprivate struct State {
        /// Since the last sync of each file, the oldest first.
        var unsynced: [ObservedFile: [Change]] = [:]
        /// Writes until some fail; nil: none do.
        var writesLeft: Int64?
        var failureCount = 0
    }

    private let state = Mutex(State())
    /// How many writes fail in a row.
    private static let failuresInARow: Int64 = 5

    /// Fails writes after so many have passed.
    func fail(after count: Int64) { state.withLock { $0.writesLeft = count } }
    func heal() { state.withLock { $0.writesLeft = nil } }
    /// Writes that failed since this was last asked.
    func takeFailureCount() -> Int {
        state.withLock { state in
            defer { state.failureCount = 0 }
            return state.failureCount
        }
    }

    // MARK: What SQLite does

    func willWrite(_ bytes: Data, at offset: Int64, over former: Data, of size: Int64, to file: ObservedFile) -> FileFailure? {
        state.withLock { state in
            if let left = state.writesLeft {
                state.writesLeft = left <= -Self.failuresInARow ? nil : left - 1
                if left <= 0, state.writesLeft != nil {
                    state.failureCount += 1
                    return .write
                }
            }
            state.unsynced[file, default: []].append(.write(offset: offset, bytes: bytes, former: former, size: size))
            return nil
        }
    }

    func willTruncate(to size: Int64, losing lost: Data, _ file: ObservedFile) {
        state.withLock { $0.unsynced[file, default: []].append(.truncation(size: size, lost: lost)) }
    }

    func willSync(_ file: ObservedFile) -> FileFailure? { nil }
    func didSync(_ file: ObservedFile) { state.withLock { $0.unsynced[file] = [] } }

    // MARK: The power goes

    /// What the platters hold of a file: what was synced, and of what was not any part, in any order; one write may be there by half.
    /// - Parameter contents: what the file holds while the power is on.
    func survivors(of file: ObservedFile, contents: Data, _ random: SeededRandom) -> Data {
        let changes = state.withLock { $0.unsynced[file] ?? [] }
        var image = changes.reversed().reduce(into: contents) { $1.undo(in: &$0) }
        let keepsOrder = random.chance(50)
        let last = random.below(changes.count + 1)
        for (number, change) in changes.enumerated() {
            let isKept = keepsOrder ? number < last : random.chance(50)
            if isKept { change.redo(in: &image) } else if number == last { change.redo(in: &image, by: 0.5) }
        }
        return image
    }
}

extension SimulatedDisk.Change {
    fileprivate func undo(in image: inout Data) {
        switch self {
        case .write(let offset, _, let former, let size):
            image.replaceSubrange(Int(offset)..<Int(offset) + former.count, with: former)
            image.removeSubrange(min(image.count, Int(size))...)
        case .truncation(let size, let lost):
            image.removeSubrange(min(image.count, Int(size))...)
            image.append(lost)
        }
    }

    /// - Parameter part: of a write, the part that got there; sectors are whole.
    fileprivate func redo(in image: inout Data, by part: Double = 1) {
        switch self {
        case .write(let offset, let bytes, _, _):
            let count = part < 1 ? Int(Double(bytes.count) * part) / 512 * 512 : bytes.count
            let end = Int(offset) + count
            // Between the end of a file and what was written behind it there are zeros.
            if image.count < end { image.append(Data(count: end - image.count)) }
            image.replaceSubrange(Int(offset)..<end, with: bytes.prefix(count))
        case .truncation(let size, _): image.removeSubrange(min(image.count, Int(size))...)
        }
    }
}
