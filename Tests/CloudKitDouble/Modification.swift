// `records/modify`, by the table of the operation types. References are not enforced: Sluice writes the action NONE only, and any other is
// complained of.

import Foundation
import SluiceHTTPServer
import SluiceJSON

extension State {
    private struct Operation {
        var kind: String
        var name: String
        var type: String?
        var tag: String?
        var fields: [String: JSONValue]
    }

    mutating func answerModify(
        _ call: inout Call, _ body: JSONObject, of user: String, fault: Fault.Kind?, at time: Int64
    ) throws(Refusal) -> HTTPResponse {
        let objects = try Self.reading { () throws(WireError) in
            try body.requiredList("operations") { json throws(WireError) in try json.asObject() }
        }
        call.count = objects.count
        guard objects.count <= habits.operationsMaximum else { throw Refusal("BAD_REQUEST", "Too many operations: \(objects.count)") }
        var operations: [Operation] = []
        for object in objects { operations.append(try operation(object)) }
        guard Set(operations.map(\.name)).count == operations.count else { throw Refusal("BAD_REQUEST", "One operation per record") }
        if operations.contains(where: { habits.unreadableRecords.contains($0.name) }) {
            throw Refusal("BAD_REQUEST", "BadRequestException: Unexpected input")
        }
        let key = try zoneKey(body, of: user)
        guard var zone = zones[key] else { throw Self.noZone(key) }
        let isAtomic = try Self.reading { () throws(WireError) in try body.boolean("atomic") } ?? true
        var results: [(name: String, result: Result<JSONValue, Refusal>)] = []
        for (index, operation) in operations.enumerated() {
            do throws(Refusal) {
                if index == 0, case .refuseFirstRecord(let code, let retryAfter)? = fault { throw Refusal(code, "refused", retryAfter: retryAfter) }
                results.append((operation.name, .success(try apply(operation, to: &zone, key, by: user, at: time))))
            } catch { results.append((operation.name, .failure(error))) }
        }
        let hasFailed = results.contains { if case .failure = $0.result { true } else { false } }
        let isUndone = hasFailed && (isAtomic || habits.isAlwaysAtomic)
        if !isUndone {
            zones[key] = zone
            clock += 1
        }
        return modifyAnswer(results, isUndone: isUndone)
    }

    /// In another order than they were asked in, which the document allows.
    private func modifyAnswer(_ results: [(name: String, result: Result<JSONValue, Refusal>)], isUndone: Bool) -> HTTPResponse {
        let elements = results.reversed().map { name, result in
            switch result {
            case .success(let json):
                isUndone ? Self.element(("recordName", .string(name)), Refusal("ATOMIC_ERROR", "Atomic failure")) : json
            case .failure(let refusal): Self.element(("recordName", .string(name)), refusal)
            }
        }
        return JSONValue.record([("records", .array(Array(elements)))]).response(status: isUndone ? habits.atomicFailureStatus : 200)
    }

    private mutating func operation(_ object: JSONObject) throws(Refusal) -> Operation {
        let (kind, record) = try Self.reading { () throws(WireError) in
            (try object.requiredString("operationType"), try object.requiredObject("record"))
        }
        let name = try Self.reading { () throws(WireError) in try record.string("recordName") }
        if name == nil { complain("an operation came without a record name") }
        let (type, tag) = try Self.reading { () throws(WireError) in (try record.string("recordType"), try record.string("recordChangeTag")) }
        let fields = try Self.reading { () throws(WireError) in try record.object("fields") }
        for (field, value) in fields?.members ?? [] { checkField(field, value) }
        return Operation(
            kind: kind, name: name ?? UUID().uuidString, type: type, tag: tag,
            fields: Dictionary((fields?.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }

    /// What a client should say of each field, and what the service cannot take.
    private mutating func checkField(_ name: String, _ field: JSONValue) {
        guard case .object(let object) = field else { return complain("field \(name) is no object") }
        let value = object.member("value") ?? .null
        guard case .string(let type)? = object.member("type") else {
            if !value.isNull { complain("field \(name) came without a type") }
            return
        }
        switch (type, value) {
        case ("TIMESTAMP", .double): complain("field \(name): a timestamp that is no whole number")
        case ("REFERENCE", .object(let reference)):
            guard case .string("NONE")? = reference.member("action") else { return complain("field \(name): a reference whose action is not NONE") }
        default: break
        }
    }

    private func apply(_ operation: Operation, to zone: inout Zone, _ key: ZoneKey, by user: String, at time: Int64) throws(Refusal) -> JSONValue {
        let name = operation.name
        let known = zone[name]
        func saved(_ fields: [String: JSONValue]) throws(Refusal) -> JSONValue {
            guard let type = operation.type ?? known?.type else { throw Refusal("BAD_REQUEST", "missing required field 'recordType'") }
            if let field = operation.fields.keys.filter(habits.unknownFields.contains).min() {
                throw Refusal("BAD_REQUEST", "Cannot create or modify field '\(field)' in record '\(type)' in production schema")
            }
            return zone.save(name, type: type, fields: fields, at: time, by: user).json(name, in: key)
        }
        func current() throws(Refusal) -> Zone.Entry {
            guard let tag = operation.tag else { throw Refusal("BAD_REQUEST", "missing required field 'recordChangeTag'") }
            guard let known else { throw Refusal("NOT_FOUND", "recordChangeTag specified, but record not found") }
            guard known.tag == tag else { throw Refusal("CONFLICT", "client oplock error updating record") }
            return known
        }
        switch operation.kind {
        case "create":
            guard known == nil else { throw Refusal("EXISTS", "record to insert already exists") }
            return try saved(operation.fields)
        case "update": return try saved(try current().fields.merging(operation.fields) { $1 })
        case "forceUpdate": return try saved((known?.fields ?? [:]).merging(operation.fields) { $1 })
        case "replace":
            _ = try current()
            return try saved(operation.fields)
        case "forceReplace": return try saved(operation.fields)
        case "delete":
            _ = try current()
            zone.delete(name, at: time)
        case "forceDelete": if known != nil { zone.delete(name, at: time) }
        default: throw Refusal("BAD_REQUEST", "Unknown operation type")
        }
        return .record([("recordName", .string(name)), ("deleted", .boolean(true))])
    }
}
