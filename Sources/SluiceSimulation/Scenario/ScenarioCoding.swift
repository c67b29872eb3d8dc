// Scenario files: JSON that people can read and change. A key that is not known is a mistake, and so is a value that is not.
//
//     {"scenario": 1, "seed": 7, "theme": "roughNetwork", "devices": 2, "storage": "memory", "operations": 200, "rate": 500,
//      "processes": 1, "network": {"delay": 200, "faults": {"requestLost": 5}},
//      "steps": [{"do": "edit", "device": 0, "after": 1000, "record": "milk", "text": "two litres"},
//                {"do": "crash", "device": 0, "after": 3, "amount": 500}]}

package import Foundation
package import SluiceJSON

extension Scenario {
    private static let format: Int64 = 1

    /// - Throws: `WireError` with the place of what is wrong.
    package init(json data: Data) throws(WireError) {
        let object = try Self.object(
            JSONValue(parsing: data), of: ["scenario", "seed", "theme", "devices", "storage", "operations", "rate", "processes", "network", "aim", "steps"])
        guard try object.requiredInteger("scenario") == Self.format else {
            throw WireError(.unexpected, "a scenario of format \(Self.format) was expected", path: "scenario")
        }
        self.init(seed: UInt64(bitPattern: try object.requiredInteger("seed")))
        theme = try Self.choice("theme", in: object) ?? theme
        storage = try Self.choice("storage", in: object) ?? storage
        deviceCount = try Self.number("devices", 1...8, in: object) ?? deviceCount
        operations = try Self.number("operations", 1...2_000, in: object) ?? operations
        rate = try Self.number("rate", 1...1_000_000, in: object) ?? rate
        processes = try Self.number("processes", 1...4, in: object) ?? processes
        if let network = try object["network"] { self.network = try Self.network(network) }
        if let json = try object["aim"] {
            let object = try Self.object(json, of: ["fault", "phase"])
            guard let fault: Fault = try Self.choice("fault", in: object), let phase: Phase = try Self.choice("phase", in: object) else {
                throw WireError(.missing, "has a fault and a phase", path: "aim")
            }
            aim = Aim(fault, in: phase)
        }
        let list = try within("steps") { () throws(WireError) in try object["steps"]?.asArray() }
        steps = try list?.enumerated().map { index, json throws(WireError) in
            try within("steps[\(index)]") { () throws(WireError) in try Step(json: json) }
        } ?? []
    }

    static func object(_ json: JSONValue, of keys: Set<String>) throws(WireError) -> JSONObject {
        let object = try json.asObject()
        if let unknown = object.members.first(where: { !keys.contains($0.key) }) {
            throw WireError(.unexpected, "is not a key here; there are \(keys.sorted().joined(separator: ", "))", path: unknown.key)
        }
        return object
    }

    static func choice<Value: RawRepresentable & CaseIterable>(_ key: String, in object: JSONObject) throws(WireError) -> Value?
    where Value.RawValue == String {
        guard let text = try object.string(key) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw WireError(.unexpected, "'\(text)' is none of \(Value.allCases.map(\.rawValue).joined(separator: ", "))", path: key)
        }
        return value
    }

    static func number(_ key: String, _ range: ClosedRange<Int>, in object: JSONObject) throws(WireError) -> Int? {
        guard let value = try object.integer(key) else { return nil }
        guard let number = Int(exactly: value), range.contains(number) else {
            throw WireError(.unexpected, "a number from \(range.lowerBound) to \(range.upperBound) was expected", path: key)
        }
        return number
    }

    private static func network(_ json: JSONValue) throws(WireError) -> Network {
        let object = try Self.object(json, of: ["delay", "faults"])
        var network = Network()
        network.delay = Int64(try number("delay", 1...60_000, in: object) ?? Int(network.delay))
        let faults = try object.object("faults")
        for (key, _) in faults?.members ?? [] {
            guard let fault = Fault(rawValue: key), Network.kinds.contains(fault), let faults else {
                throw WireError(.unexpected, "is none of \(Network.kinds.map(\.rawValue).joined(separator: ", "))", path: "network.faults.\(key)")
            }
            network.faults[fault] = try number(key, 0...100, in: faults)
        }
        return network
    }

    /// The scenario as a file, one line a step.
    package var json: String {
        let faults = Network.kinds.compactMap { kind in network.faults[kind].map { "\"\(kind.rawValue)\": \($0)" } }.joined(separator: ", ")
        let aimed = aim.map { "\n \"aim\": {\"fault\": \"\($0.fault.rawValue)\", \"phase\": \"\($0.phase.rawValue)\"}," } ?? ""
        let head = """
            {"scenario": \(Self.format), "seed": \(Int64(bitPattern: seed)), "theme": "\(theme.rawValue)", "devices": \(deviceCount), \
            "storage": "\(storage.rawValue)", "operations": \(operations), "rate": \(rate), "processes": \(processes),
             "network": {"delay": \(network.delay), "faults": {\(faults)}},\(aimed)
             "steps": [
            """
        return head + steps.map { "\n  " + $0.json }.joined(separator: ",") + "]}\n"
    }
}

extension Scenario.Step {
    init(json: JSONValue) throws(WireError) {
        let object = try Scenario.object(json, of: ["do", "device", "after", "draw", "amount", "entity", "record", "text"])
        guard let action: Scenario.Action = try Scenario.choice("do", in: object) else {
            throw WireError(.missing, "says what happens", path: "do")
        }
        self.init(action)
        device = try Scenario.number("device", 0...7, in: object) ?? 0
        after = Int64(try Scenario.number("after", 0...Int(Int32.max), in: object) ?? 0)
        draw = UInt32(try Scenario.number("draw", 0...Int(UInt32.max), in: object) ?? 0)
        amount = try object.integer("amount") ?? 0
        if let record = try object.string("record") { edit = .init(try Scenario.choice("entity", in: object) ?? .note, record: record, text: try object.string("text") ?? "") }
    }

    /// Without what stands for nothing.
    var json: String {
        var parts = ["\"do\": \"\(action.rawValue)\""]
        if device != 0 { parts.append("\"device\": \(device)") }
        if after != 0 { parts.append("\"after\": \(after)") }
        if draw != 0 { parts.append("\"draw\": \(draw)") }
        if amount != 0 { parts.append("\"amount\": \(amount)") }
        if let edit {
            if edit.entity != .note { parts.append("\"entity\": \"\(edit.entity.rawValue)\"") }
            var writer = JSONWriter()
            writer.string(edit.record)
            parts.append("\"record\": \(String(decoding: writer.data, as: UTF8.self))")
            writer = JSONWriter()
            writer.string(edit.text)
            parts.append("\"text\": \(String(decoding: writer.data, as: UTF8.self))")
        }
        return "{\(parts.joined(separator: ", "))}"
    }
}
