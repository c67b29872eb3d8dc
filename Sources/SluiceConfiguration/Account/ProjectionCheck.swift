import SluiceNotation
import SluiceSchema

/// Reads the expressions of projections and compares them with the schema, each fault at the letter where it stands.
struct ProjectionCheck {
    let layout: StoredSchema
    let log: FaultLog

    init(_ schema: Schema, log: FaultLog) {
        layout = StoredSchema(schema)
        self.log = log
    }

    /// - Parameter local: what stands below `local`: one group container, or a list of them.
    func check(_ local: YAMLNode?) {
        guard let local else { return }
        if case .sequence(let groups) = local.content { return groups.forEach(check) }
        // Rows of a hierarchy lie in one table, so a derived name may stand once in all of it.
        var given: [Int: Set<String>] = [:]
        for entry in Self.entries(local, below: LocalKey.projections.rawValue) {
            guard let entity = layout.entities[entry.key] else { continue }
            check(entry.value, of: entity)
            derivedNames(entry.value, of: entity, given: &given[entity.table, default: []])
        }
    }

    private func derivedNames(_ rule: YAMLNode, of entity: StoredEntity, given: inout Set<String>) {
        var names: [(name: String, position: Position)] = []
        for entry in Self.entries(rule) {
            switch (ProjectionKey(rawValue: entry.key), entry.value.content) {
            case (.derived, .mapping(let fields)): names += fields.map { ($0.key, $0.value.position) }
            case (.fields, .sequence(let fields)):
                for field in fields {
                    guard case .scalar(let text) = field.content, let joined = AccountDecoder.joined(text) else { continue }
                    names.append((joined.name, field.position))
                }
            default: break
            }
        }
        let known = layout.propertyNames(of: entity)
        for (name, position) in names where known.contains(name) || !given.insert(name).inserted {
            log.add(position, found: "the derived name `\(name)`, which is taken", expected: "a name that \(entity.name) does not have yet")
        }
    }

    private func check(_ rule: YAMLNode, of entity: StoredEntity) {
        guard case .mapping(let entries) = rule.content else { return }
        for entry in entries {
            switch ProjectionKey(rawValue: entry.key) {
            case .where: condition(entry.value, of: entity)
            case .derived: for field in Self.entries(entry.value) { derived(field.value, of: entity) }
            case .fields:
                guard case .sequence(let fields) = entry.value.content else { continue }
                for field in fields { self.field(field, of: entity) }
            case .order:
                guard case .sequence(let fields) = entry.value.content else { continue }
                for field in fields { order(field, of: entity) }
            case .limit, .freshness, nil: break
            }
        }
    }

    private func condition(_ node: YAMLNode, of entity: StoredEntity) {
        guard case .scalar(let text) = node.content else { return }
        do throws(FilterError) { _ = try RowQuery(entity.name, in: layout, where: try RowFilter(parsing: text)) } catch {
            report(error, in: node, text)
        }
    }

    private func derived(_ node: YAMLNode, of entity: StoredEntity) {
        guard case .scalar(let text) = node.content else { return }
        do throws(FilterError) { _ = try DerivedTerm(try FilterExpression(parsing: text), of: entity, in: layout) } catch {
            report(error, in: node, text)
        }
    }

    private func field(_ node: YAMLNode, of entity: StoredEntity) {
        guard case .scalar(let text) = node.content else { return }
        if let joined = AccountDecoder.joined(text) {
            derived(node.replacingText(with: joined.expression), of: entity)
            return
        }
        let known = layout.propertyNames(of: entity)
        guard !known.contains(text) else { return }
        log.add(
            node.position, found: "property `\(text)`", expected: "one of entity \(entity.name)",
            suggestion: Spelling.nearest(to: text, in: known))
    }

    private func order(_ node: YAMLNode, of entity: StoredEntity) {
        guard case .scalar(let text) = node.content else { return }
        // A dash in front turns an order round.
        let path = text.hasPrefix("-") ? String(text.dropFirst()) : text
        do throws(FilterError) {
            _ = try RowQuery(entity.name, in: layout, order: RowOrder([.init(PropertyPath(stringLiteral: path))]))
        } catch { report(error, in: node, text) }
    }

    // MARK: Faults

    private func report(_ error: FilterError, in node: YAMLNode, _ text: String) {
        switch error {
        case .syntax(let column, let found, let expected):
            log.add(place(column, in: node), found: "`\(found)`", expected: expected)
        case .unknownProperty(let name, let entity, let known):
            log.add(
                place(FilterError.column(of: name, in: text), in: node), found: "property `\(name)`", expected: "one of entity \(entity)",
                suggestion: Spelling.nearest(to: name, in: known))
        case .wrongType(let property, let expected, let found):
            let column = FilterError.column(of: property, in: text)
            log.add(place(column, in: node), found: "\(property) beside \(found)", expected: expected)
        case .unsupported(let property, let reason):
            log.add(place(FilterError.column(of: property, in: text), in: node), found: "`\(property)`", expected: reason)
        case .unknownEntity, .tooLarge: log.add(node.position, found: "\(error)", expected: "an expression over one row")
        }
    }

    /// A letter of a text on one line; of a longer one its beginning, since nobody remembers how it was folded.
    private func place(_ column: Int, in node: YAMLNode) -> Position {
        guard node.isOnOneLine else { return node.position }
        return Position(line: node.position.line, column: node.position.column + node.quoteCount + column - 1)
    }

    private static func entries(_ node: YAMLNode, below key: String) -> [YAMLNode.Entry] {
        entries(node).first { $0.key == key }.map { entries($0.value) } ?? []
    }

    private static func entries(_ node: YAMLNode) -> [YAMLNode.Entry] {
        if case .mapping(let entries) = node.content { entries } else { [] }
    }
}

extension StoredSchema {
    /// What rows of an entity and of its subentities have.
    fileprivate func propertyNames(of entity: StoredEntity) -> [String] {
        guard let declared = schema.entity(named: entity.name) else { return [] }
        return (schema.lineage(of: declared) + schema.family(of: declared)).flatMap { $0.properties.map(\.name) }
    }
}
