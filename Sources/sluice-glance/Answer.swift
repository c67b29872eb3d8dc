import FoundationEssentials
import SluiceReader
import SluiceSchema

/// What a command found in one state of a container, before it has a form.
struct Answer {
    enum Content {
        case rows([StoredRow], RowFields)
        /// One row, which was asked for by name.
        case row(StoredRow, RowFields)
        /// Named values, the one that matters most first.
        case values([(name: String, value: ScalarForm)])
    }

    let content: Content
    var summary: LocalStoreSummary?
    /// From 0 to 100; nil where there is nothing to measure.
    var percentage: Int?
    /// Something to say about it on standard error.
    var note: String?

    var rows: [StoredRow] {
        switch content {
        case .rows(let rows, _): rows
        case .row(let row, _): [row]
        case .values: []
        }
    }

    var isEmpty: Bool { if case .rows(let rows, _) = content { rows.isEmpty } else { false } }
}

/// What is asked of a container.
protocol Question: Sendable {
    /// - Throws: `ReaderError`; `UsageError` for a field that the schema does not have.
    func ask(_ container: GroupContainer) throws -> Answer
}
