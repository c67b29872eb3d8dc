import SluiceSchema

/// Turns rows of a legacy file into rows of the mapped one.
struct MappedRows {
    /// What the mapping takes away, by the row's own entity and the property.
    struct Losses {
        struct Subject: Hashable {
            let entity: String
            let key: MappingPlan.Key
        }

        var values: [Subject: Int] = [:]
        var positions: [Subject: Int] = [:]
        var links: [MappingPlan.Key: Int] = [:]
        /// Values that have no form in their new type.
        var unconverted: [MappingPlan.Key: Int] = [:]
        /// Values of which the nearest in their new type stays.
        var rounded: [MappingPlan.Key: Int] = [:]
        /// References to rows that are omitted, by relationships that stay.
        var toOmitted: [MappingPlan.Key: Int] = [:]
    }

    /// What becomes of the properties of one entity's rows, inherited ones too.
    private struct Columns {
        var values: [String: (key: MappingPlan.Key, name: String?, change: TypeChange?)] = [:]
        var toOne: [String: (key: MappingPlan.Key, name: String?)] = [:]
    }

    private let plan: MappingPlan
    private let columns: [String: Columns]

    init(_ plan: MappingPlan) {
        self.plan = plan
        var columns: [String: Columns] = [:]
        for entity in plan.source.entities {
            var found = Columns()
            for owner in plan.source.lineage(of: entity) {
                for attribute in owner.attributes {
                    let key = MappingPlan.Key(entity: owner.name, property: attribute.name)
                    found.values[attribute.name] = (key, plan.isOmitted(key) ? nil : plan.name(key), plan.conversions[key])
                }
                for relationship in owner.relationships where !relationship.isToMany {
                    let key = MappingPlan.Key(entity: owner.name, property: relationship.name)
                    found.toOne[relationship.name] = (key, plan.isOmitted(key) ? nil : plan.name(key))
                }
            }
            columns[entity.name] = found
        }
        self.columns = columns
    }

    /// Nil for a row of an omitted entity.
    func row(_ row: LegacyRow, _ losses: inout Losses) -> LegacyRow? {
        guard let columns = columns[row.entity] else { return nil }
        guard let entity = plan.entityNames[row.entity] else {
            lose(row, columns, &losses)
            return nil
        }
        var values: [String: PropertyValue] = [:]
        for (property, value) in row.values {
            guard let column = columns.values[property] else { continue }
            guard let name = column.name else {
                lose(value, column.key, in: row, &losses)
                continue
            }
            guard let change = column.change else {
                values[name] = value
                continue
            }
            if let converted = change.converted(value) {
                values[name] = converted
                if change.isRounded(value, to: converted) { losses.rounded[column.key, default: 0] += 1 }
            } else {
                values[name] = .null
                lose(value, column.key, in: row, &losses)
                losses.unconverted[column.key, default: 0] += 1
            }
        }
        var toOne: [String: LegacyReference?] = [:]
        for (property, target) in row.toOne {
            guard let column = columns.toOne[property] else { continue }
            guard let name = column.name else {
                lose(target, column.key, in: row, &losses)
                continue
            }
            let mapped = target.flatMap(reference)
            toOne[name] = .some(mapped)
            guard target != nil, mapped == nil else { continue }
            lose(target, column.key, in: row, &losses)
            losses.toOmitted[column.key, default: 0] += 1
        }
        return LegacyRow(entity: entity, primaryKey: row.primaryKey, recordName: row.recordName, values: values, toOne: toOne)
    }

    /// Nil where one of its ends, or the relationship, is omitted.
    func link(_ link: LegacyLink, _ losses: inout Losses) -> LegacyLink? {
        let key = MappingPlan.Key(entity: plan.owner(of: link.relationship, in: link.owner.entity) ?? link.owner.entity, property: link.relationship)
        guard !plan.isOmitted(key), let owner = reference(link.owner), let member = reference(link.member) else {
            losses.links[key, default: 0] += 1
            return nil
        }
        let inverse = link.inverse.flatMap { name -> String? in
            guard let entity = plan.owner(of: name, in: link.member.entity) else { return nil }
            let other = MappingPlan.Key(entity: entity, property: name)
            return plan.isOmitted(other) ? nil : plan.name(other)
        }
        return LegacyLink(relationship: plan.name(key), inverse: inverse, owner: owner, member: member)
    }

    private func reference(_ target: LegacyReference) -> LegacyReference? {
        plan.entityNames[target.entity].map { LegacyReference(entity: $0, primaryKey: target.primaryKey, position: target.position) }
    }

    // MARK: Counting what goes

    private func lose(_ row: LegacyRow, _ columns: Columns, _ losses: inout Losses) {
        for (property, value) in row.values {
            if let column = columns.values[property] { lose(value, column.key, in: row, &losses) }
        }
        for (property, target) in row.toOne {
            if let column = columns.toOne[property] { lose(target, column.key, in: row, &losses) }
        }
    }

    private func lose(_ value: PropertyValue, _ key: MappingPlan.Key, in row: LegacyRow, _ losses: inout Losses) {
        if !value.isNull { losses.values[.init(entity: row.entity, key: key), default: 0] += 1 }
    }

    private func lose(_ target: LegacyReference?, _ key: MappingPlan.Key, in row: LegacyRow, _ losses: inout Losses) {
        guard let target else { return }
        losses.values[.init(entity: row.entity, key: key), default: 0] += 1
        if target.position != nil { losses.positions[.init(entity: row.entity, key: key), default: 0] += 1 }
    }
}
