// Whether edits can run at all, and mean on every device what they mean on this one: names against the schema, expressions against tables
// of that schema which hold no row.

import SluiceSQLite
import SluiceSchema

/// Checks edits against one version of a schema.
struct StageCheck {
    let layout: StoredSchema
    private let connection: Connection
    private let rows: EntityRows

    init(_ schema: Schema) throws {
        layout = StoredSchema(schema)
        rows = EntityRows(layout: layout)
        connection = try Connection(path: "", mode: .memory)
        var options = Store.Options(zone: "")
        options.capturesChanges = false
        try StoreDefinition(layout: layout, options: options).create(in: connection)
        try connection.refuseTextInDoubleQuotes()
        // SQLite declares such a table when it is first used, and asks whether it may.
        for function in ExpressionJudge.tableFunctions { _ = try connection.value("SELECT 1 FROM \(function)('1')") }
    }

    private var version: String { "\(layout.schema.name) \(layout.schema.version)" }

    func faults(of edits: [StageEdit], _ half: StageFault.Half) -> [StageFault] {
        edits.enumerated().flatMap { faults(of: $1, half, $0) }
    }

    private func faults(of edit: StageEdit, _ half: StageFault.Half, _ index: Int) -> [StageFault] {
        guard let entity = layout.schema.entity(named: edit.entity), let stored = layout.entities[edit.entity] else {
            return [
                StageFault(
                    .entity(half, index), found: "entity `\(edit.entity)`", expected: "one of \(version)", unknown: edit.entity,
                    among: layout.schema.entities.map(\.name))
            ]
        }
        var faults = edit.condition.map { expression($0, of: stored, at: .condition(half, index)) } ?? []
        guard case .set(let assignments) = edit.action else { return faults }
        if assignments.isEmpty {
            faults.append(
                StageFault(.entity(half, index), found: "nothing that is set", expected: "a property and an expression, or a deletion"))
        }
        var seen: Set<String> = []
        for assignment in assignments {
            let place = StageFault.Place.property(half, index, assignment.property)
            if !seen.insert(assignment.property).inserted {
                faults.append(StageFault(place, found: "property `\(assignment.property)` again", expected: "each property once"))
            }
            if let fault = fault(of: assignment.property, entity, stored, at: place) { faults.append(fault) }
            faults += expression(assignment.expression, of: stored, at: .expression(half, index, assignment.property))
        }
        return faults
    }

    // MARK: Properties

    private func fault(of name: String, _ entity: Entity, _ stored: StoredEntity, at place: StageFault.Place) -> StageFault? {
        let properties = layout.schema.properties(of: entity)
        guard let property = properties.first(where: { $0.name == name }) else {
            let heirs = layout.schema.family(of: entity).filter { $0.properties.contains { $0.name == name } }
            let expected =
                heirs.isEmpty
                ? "one of entity \(entity.name)" : "one of entity \(entity.name), or an edit of \(heirs[0].name), which has it"
            return StageFault(
                place, found: "property `\(name)`", expected: expected, unknown: heirs.isEmpty ? name : nil, among: properties.map(\.name))
        }
        if layout.schema.family(of: entity).contains(where: { layout.schema.identity(of: $0).contains(name) }) {
            return StageFault(
                place, found: "`\(name)`, of which record names of \(entity.name) are made",
                expected: "another property: a record's name is for life")
        }
        guard let relationship = property.relationship else { return nil }
        return fault(of: relationship, stored, at: place)
    }

    private func fault(of relationship: Relationship, _ entity: StoredEntity, at place: StageFault.Place) -> StageFault? {
        let inverse = layout.schema.inverse(of: relationship)
        let other = "\(relationship.destination).\(relationship.inverse ?? "")"
        if relationship.isToMany {
            let expected = inverse?.isToMany == false ? "`\(other)`, set over there" : "a relationship to one, or an attribute"
            return StageFault(place, found: "`\(relationship.name)`, which leads to many", expected: expected)
        }
        guard let link = entity.link(named: relationship.name), case .own = link.place, inverse?.isToMany != false else {
            return StageFault(
                place, found: "`\(relationship.name)`, whose other end \(other) has one partner, too",
                expected: "a relationship that many rows may have to one, or an attribute")
        }
        if inverse?.isOrdered == true {
            return StageFault(
                place, found: "`\(relationship.name)`, whose other end \(other) keeps an order",
                expected: "a relationship without one, or an attribute")
        }
        return nil
    }

    // MARK: Expressions

    private func expression(_ text: String, of entity: StoredEntity, at place: StageFault.Place) -> [StageFault] {
        let expected = "an SQL expression over one row of \(entity.name)"
        let parsed = ExpressionText(text)
        if let problem = parsed.problem { return [StageFault(place, found: problem, expected: expected)] }
        var judge = ExpressionJudge(tables: Set(layout.tables.map(\.name)))
        do {
            // Beside the bare expression: as an argument, where neither several values nor an order may stand, and as a condition, where
            // SQLite refuses what is worked out from several rows.
            for statement in [
                "SELECT (\(text)\n) FROM \(SQLText.name(entity.name))",
                "SELECT 1 FROM \(SQLText.name(entity.name)) WHERE likely((\(text)\n))",
            ] {
                let statement = try connection.prepare("\(rows.prelude)\n\(statement)") { judge.allows($0) }
                guard statement.columnCount == 1, statement.parameterCount == 0 else {
                    return [StageFault(place, found: "several values", expected: expected)]
                }
            }
        } catch {
            if let refused = judge.refused { return [StageFault(place, found: refused, expected: judge.expectation)] }
            return [fault(error, of: entity, at: place, expected: expected)]
        }
        return Self.impurities(parsed, judge).map { StageFault(place, found: $0, expected: "the same value on every device, at any time") }
    }

    /// What SQLite did not understand.
    private func fault(_ error: SQLiteError, of entity: StoredEntity, at place: StageFault.Place, expected: String) -> StageFault {
        for (words, kind, known) in [
            ("no such column: ", "column", entity.propertyNames + ["_pk", "_id"]),
            ("no such table: ", "table", layout.schema.entities.map(\.name)),
            ("no such function: ", "function", ExpressionJudge.functions.sorted()),
        ] where error.message.hasPrefix(words) {
            let name = String(error.message.dropFirst(words.count))
            return StageFault(place, found: "\(kind) `\(name)`, which there is not", expected: expected, unknown: name, among: known)
        }
        return StageFault(place, found: "what SQLite does not take (\(error.message))", expected: expected)
    }

    /// What would be another value elsewhere or later, as far as the words tell. What they do not is refused when it runs.
    private static func impurities(_ expression: ExpressionText, _ judge: ExpressionJudge) -> [String] {
        guard judge.called.contains(where: { PureDates.functions[$0] != nil }) else { return [] }
        let short = expression.argumentCounts(of: Set(PureDates.functions.keys)).filter { $0.count < PureDates.functions[$0.function] ?? 0 }
        return short.map { "\($0.function)() without a date, which is the time of day" }
            + expression.literals.filter(PureDates.impureWords.contains).map { "'\($0)', which the device's clock or time zone decides" }
    }
}
