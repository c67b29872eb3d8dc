/// Rows in aligned columns, for people. Programs read `--json` instead.
package struct Table: Sendable {
    package struct Column: Sendable {
        let title: String
        /// Numbers stand at the right, so that their digits line up.
        let isRightAligned: Bool

        package init(_ title: String, isRightAligned: Bool = false) {
            self.title = title
            self.isRightAligned = isRightAligned
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// - Precondition: one cell for each column.
    package mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells.map(\.printable))
    }

    /// One line for the titles and one for each row, without spaces at the end.
    package var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        return all.map { cells in
            var line = columns.indices.map {
                DisplayWidth.padded(cells[$0], to: widths[$0], right: columns[$0].isRightAligned)
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
