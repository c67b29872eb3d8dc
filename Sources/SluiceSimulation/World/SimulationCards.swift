// Cards are played with beside everything else, drawn apart from it: an edit never makes a score smaller, and no label is given twice.

import Foundation
import SluiceSchema
import SluiceStore

extension Simulation {
    /// Somebody makes a card, betters its score, puts a label on it or takes one off, or throws it away.
    /// - Parameter number: makes a label different from all others.
    func play(_ device: SimulatedDevice, _ draw: SeededRandom, _ number: Int) throws {
        guard let store = device.store, draw.chance(25) else { return }
        let before = try device.rows(of: CardModel.entity)
        let known = before.sorted { $0.key < $1.key }
        let picked = draw.chance(known.count < 3 ? 60 : 15) ? nil : draw.pick(known)
        let name = RecordName(picked?.key ?? draw.uuid().uuidString)
        let isDeletion = picked != nil && draw.chance(20)
        let edit = edit(of: picked?.value, draw, label: "l\(number)-\(device.index)")
        do {
            try device.onDisk(at: clock.now) {
                try store.write {
                    if isDeletion { _ = try store.delete(name) } else { _ = try store.put(CardModel.entity, name: name, edit) }
                }
            }
        } catch is ProcessDeath {
            // Nobody was told that it was saved; it may be all the same.
            cards.edited(before, try device.rows(of: CardModel.entity), device: device.index, at: clock.now)
            return try die(device)
        } catch { return note("device \(device.index) plays card \(name): \(error)") }
        note("device \(device.index) \(isDeletion ? "throws card \(name) away" : "plays card \(name): \(edit.attributes.keys.sorted())")")
        cards.edited(before, try device.rows(of: CardModel.entity), device: device.index, at: clock.now)
    }

    private func edit(of row: DeviceRow?, _ draw: SeededRandom, label: String) -> RowEdit {
        var edit = RowEdit()
        let labels = CardModel.labels(row)
        if row == nil || draw.chance(60) { edit.attributes["score"] = .integer((CardModel.score(row) ?? 0) + Int64(1 + draw.below(9))) }
        if draw.chance(60) {
            var next = labels + [label]
            if draw.chance(30), let old = draw.pick(labels) { next.removeAll { $0 == old } }
            edit.attributes["labels"] = .data(Data("[\(next.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
        }
        if edit.attributes.isEmpty { edit.attributes["score"] = .integer((CardModel.score(row) ?? 0) + 1) }
        return edit
    }
}
