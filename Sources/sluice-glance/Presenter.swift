import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// Prints answers in the format that was asked for.
struct Presenter: Sendable {
    let options: FormatOptions
    let container: ContainerOptions
    private let format: OutputFormat
    private let template: RowTemplate?
    /// Whether there may be many answers.
    private let isFollowing: Bool

    init(_ options: FormatOptions, _ container: ContainerOptions, isFollowing: Bool = false) throws(UsageError) {
        self.options = options
        self.isFollowing = isFollowing
        self.container = container
        format = options.format
        template = try options.template()
    }

    /// Asks and prints. Printed after the read has ended: whoever takes the output may be slow, and must not hold the store.
    /// - Throws: what asking throws. A bar has then got an item that says so.
    func run(_ question: some Question, on console: Console) throws -> ExitCode {
        let group = try container.container(environment: Environment.ofReaders)
        do {
            let answer = try question.ask(group)
            try present(answer, on: console)
            // What is said about the rows stands below them where both go to one place.
            console.output.flush()
            if let note = answer.note { console.report(note) }
            return answer.summary.map { container.exitCode(for: $0, at: Date(), console: console) } ?? .success
        } catch let error as ReaderError where error.exitStatus != ExitCode.usage.rawValue {
            try presentProblem(ContainerStatus(error), in: group, on: console)
            throw error
        }
    }

    func present(_ answer: Answer, on console: Console) throws {
        if let form = format.bar { return try printItem(item(of: answer, form), form, on: console) }
        switch answer.content {
        case .rows(let rows, let fields): try printRows(rows, fields, on: console)
        case .row(let row, let fields):
            if format == .json { try console.printJSON(JSONRow(row, fields: fields.isSelected ? fields.names : nil)) } else {
                try printRows([row], fields, on: console)
            }
        case .values(let values): try printValues(values, on: console)
        }
    }

    /// A bar shows something for every status; other formats print nothing.
    func presentProblem(_ status: ContainerStatus, in group: GroupContainer, on console: Console) throws {
        guard let form = format.bar else { return }
        let problem = status.problem(in: group.directory).map { form.escaped(form.shown($0), isPango: options.isPango) }
        let text = form == .waybar ? "" : status.word
        try printItem(BarItem(text: ItemText(value: text), tooltip: problem.map { [$0] } ?? [], classes: [status.word], isProblem: true), form, on: console)
    }

    // MARK: Lines

    private func printRows(_ rows: [StoredRow], _ fields: RowFields, on console: Console) throws {
        let selected = fields.isSelected ? fields.names : nil
        switch format {
        case .json: try console.printJSON(rows.map { JSONRow($0, fields: selected) })
        case .jsonl: for row in rows { try console.printJSON(JSONRow(row, fields: selected)) }
        case .table:
            var table = Table(fields.columns)
            for row in rows { table.append(fields.names.map { RowFields.text($0, of: row) }) }
            for line in table.lines { console.printLine(line) }
        default:
            for row in rows {
                let values = { RowFields.text($0, of: row).printable }
                console.printLine(template?.text(values) ?? fields.names.map(values).joined(separator: "\t"))
            }
        }
    }

    private func printValues(_ values: [(name: String, value: ScalarForm)], on console: Console) throws {
        switch format {
        case .json, .jsonl: try console.printJSON(Dictionary(values.filter { $0.value != .null }.map { ($0.name, $0.value) }) { first, _ in first })
        case .template:
            console.printLine(template?.text { name in values.first { $0.name == name }?.value.text.printable ?? "" } ?? "")
        default:
            let shown = values.filter { $0.value != .null }
            if shown.count == 1 { return console.printLine(shown[0].value.text) }
            for (name, value) in shown { console.printLine("\(Self.words(name)): \(value.text.printable)") }
        }
    }

    /// `schemaVersion` as people read it.
    private static func words(_ name: String) -> String { name.map { $0.isUppercase ? " \($0.lowercased())" : String($0) }.joined() }

    // MARK: Bars

    private func item(of answer: Answer, _ form: BarForm) -> BarItem {
        let state = answer.summary.map { container.isStale($0, at: Date()) ? "stale" : "current" } ?? "current"
        func escaped(_ text: String) -> String { form.escaped(form.shown(text), isPango: options.isPango) }
        switch answer.content {
        case .values(let values):
            let text = template?.itemText { name in values.first { $0.name == name }?.value.text ?? "" }
            let lines = values.filter { $0.value != .null }.map { "\(Self.words($0.name)): \(escaped($0.value.text))" }
            let isZero = values.first?.value == .integer(0)
            return BarItem(
                text: text ?? ItemText(value: values.first?.value.text ?? ""), tooltip: lines, classes: [state] + (isZero ? ["empty"] : []),
                percentage: answer.percentage)
        case .rows(_, let fields), .row(_, let fields):
            let lines = answer.rows.map { row in fields.names.map { escaped(RowFields.text($0, of: row)) }.joined(separator: "  ") }
            let texts = answer.rows.map { row in
                func text(_ field: String) -> String { RowFields.text(field, of: row) }
                return template?.itemText(text) ?? .joined(fields.names.map { ItemText(value: text($0)) }, separator: "  ")
            }
            return BarItem(
                text: .joined(texts, separator: options.separator), tooltip: lines, classes: [state] + (answer.isEmpty ? ["empty"] : []),
                percentage: answer.percentage)
        }
    }

    private func printItem(_ item: BarItem, _ form: BarForm, on console: Console) throws {
        let lines = try item.lines(form, width: options.width, instance: container.name, isPango: options.isPango)
        // The protocol is an endless array of status lines, and each is an array of blocks.
        for line in lines { console.printLine(isFollowing && form == .i3bar ? "[\(line)]," : line) }
    }

    // MARK: Following

    /// What comes before the first answer of many.
    func begin(on console: Console) {
        if format == .i3bar { console.printLine("{\"version\":1}\n[") }
    }
}
