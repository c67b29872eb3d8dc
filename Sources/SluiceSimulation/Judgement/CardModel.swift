// What has to become of cards, said without merges: the best score stands, no label is lost that nobody took off, and a card that somebody edited
// without knowing that another threw it away is there.
//
// It rests on two habits of the people who play (SimulationCards.swift): a score that is written is higher than the one that was seen, and no label is given
// twice. So what a person had seen when they did something is plain from what their device showed.

/// The history of all cards of one run.
struct CardModel {
    static let entity = "Card"

    private struct Edit {
        /// Nil: another field.
        let score: Int64?
        let labels: Set<String>
        let device: Int
        let time: Int64
        var isUncertain = false
    }

    private struct Deletion {
        let seenScore: Int64
        let seenLabels: Set<String>
        let device: Int
        let time: Int64
        var isUncertain = false

        /// Whether whoever deleted may have known of an edit.
        /// - Parameter removed: labels of which nothing can be told, since somebody took them off.
        func knew(_ edit: Edit, without removed: Set<String>) -> Bool {
            edit.score.map { $0 <= seenScore } ?? true && edit.labels.subtracting(removed).isSubset(of: seenLabels)
        }
    }

    private struct Card {
        var edits: [Edit] = []
        var deletions: [Deletion] = []
        /// Labels that somebody took off.
        var removed: Set<String> = []
        var scores: Set<Int64> = []
        var labels: Set<String> = []
        /// It was in a zone that was deleted.
        var mayBeGone = false
    }

    private var cards: [String: Card] = [:]
    /// Devices may give the service back what was deleted while it did not know.
    private var deletionsStay = true

    static func score(_ row: DeviceRow?) -> Int64? { row?.fields["score"].flatMap(Int64.init) }

    /// In the order in which they stand there.
    static func labels(_ row: DeviceRow?) -> [String] {
        guard let text = row?.fields["labels"] else { return [] }
        return text.split(whereSeparator: { "[]\",".contains($0) }).map(String.init)
    }

    // MARK: What people do

    /// What a device showed before and after somebody did something.
    mutating func edited(_ before: [String: DeviceRow], _ after: [String: DeviceRow], device: Int, at time: Int64) {
        for name in Set(before.keys).union(after.keys) where (before[name] ?? after[name])?.entity == Self.entity && before[name] != after[name] {
            var card = cards[name] ?? Card()
            let (old, new) = (Set(Self.labels(before[name])), Set(Self.labels(after[name])))
            if let row = after[name] {
                let (score, former) = (Self.score(row), Self.score(before[name]))
                card.edits.append(Edit(score: score == former ? nil : score, labels: new.subtracting(old), device: device, time: time))
                if let score { card.scores.insert(score) }
                card.labels.formUnion(new)
                card.removed.formUnion(old.subtracting(new))
            } else {
                card.deletions.append(Deletion(seenScore: Self.score(before[name]) ?? 0, seenLabels: old, device: device, time: time))
            }
            cards[name] = card
        }
    }

    /// An older copy took the place of a device's store: what was done there since may be gone.
    mutating func restored(device: Int, to time: Int64) {
        for (name, card) in cards {
            var card = card
            for index in card.edits.indices where card.edits[index].device == device && card.edits[index].time > time { card.edits[index].isUncertain = true }
            for index in card.deletions.indices where card.deletions[index].device == device && card.deletions[index].time > time {
                card.deletions[index].isUncertain = true
            }
            cards[name] = card
        }
    }

    /// What the service had is gone, but on a device that had something of it to send.
    mutating func zoneWent() { for name in cards.keys { cards[name]?.mayBeGone = true } }

    mutating func serviceLostMemory() { deletionsStay = false }

    // MARK: The verdict

    /// What is not as it has to be.
    /// - Parameter rows: what all devices hold at the end.
    func faults(_ rows: [String: DeviceRow]) -> [String] {
        cards.sorted { $0.key < $1.key }.compactMap { name, card in card.mayBeGone ? nil : fault(name, card, rows[name]) }
    }

    private func fault(_ name: String, _ card: Card, _ row: DeviceRow?) -> String? {
        let edits = card.edits.filter { !$0.isUncertain }
        guard let row else {
            let isKept = edits.contains { edit in !card.deletions.contains { $0.knew(edit, without: card.removed) } }
            return isKept ? "I-1 card \(name) is gone, and whoever threw it away did not know of all that was done with it" : nil
        }
        let (score, labels) = (Self.score(row) ?? 0, Set(Self.labels(row)))
        if !card.scores.union([0]).contains(score) || !labels.isSubset(of: card.labels) {
            return "I-5 card \(name) has score \(score) and labels \(labels.sorted()), which nobody gave it"
        }
        // Whoever edited it and has not heard the answer cannot tell that the other knew; so this is asked of who was alone with it.
        let ended = card.deletions.contains { deletion in
            !deletion.isUncertain && card.edits.allSatisfy { $0.device == deletion.device && $0.time < deletion.time }
        }
        if ended, deletionsStay { return "I-4 card \(name) is back, and nobody has edited it since" }
        // Who brings a card back brings it as they have it.
        guard card.deletions.isEmpty else { return nil }
        let best = edits.compactMap(\.score).max() ?? 0
        if score < best { return "I-1 the score of card \(name) is \(score), and somebody had \(best)" }
        let lost = edits.reduce(into: Set<String>()) { $0.formUnion($1.labels) }.subtracting(card.removed).subtracting(labels)
        return lost.isEmpty ? nil : "I-1 card \(name) has lost \(lost.sorted()), which nobody took off"
    }
}
