// A value under a key, in defaults.json and in the synced key-value store. As JSON it is what a shell expects where JSON has the type, and an
// object that names the type where it has not:
//
//     "text"   3   true   ["a", 1]   {"double":1.5}   {"date":"2026-01-31T12:00:00.000Z"}   {"data":"AQID"}

public import FoundationEssentials
public import SluiceSchema

/// One value of shared defaults.
public indirect enum SharedValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Kept to the millisecond.
    case date(Date)
    case data(Data)
    case list([SharedValue])

    /// `string`, `int`, `double`, `bool`, `date`, `data` or `list`.
    public var type: String {
        switch self {
        case .string: "string"
        case .integer: "int"
        case .double: "double"
        case .boolean: "bool"
        case .date: "date"
        case .data: "data"
        case .list: "list"
        }
    }

    /// Reads a value as it is typed; nil where the text is none of that type. Items of a list are texts.
    /// - Parameter type: as `type` names it.
    public init?(_ text: String, as type: String) {
        switch type {
        case "string": self = .string(text)
        case "int":
            guard let number = Int64(text) else { return nil }
            self = .integer(number)
        case "double":
            guard let number = Double(text) else { return nil }
            self = .double(number)
        case "bool":
            guard let flag = ["true": true, "false": false][text] else { return nil }
            self = .boolean(flag)
        case "date":
            guard let date = Date(text: text) ?? Date(text: text + "T00:00:00Z") else { return nil }
            self = .date(Date(milliseconds: date.milliseconds))
        case "data":
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .data(data)
        default: return nil
        }
    }

    public static let types = ["string", "int", "double", "bool", "date", "data"]
}

extension SharedValue: CustomStringConvertible {
    /// As shells read it: the bare value; of a list its JSON.
    public var description: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let date): date.text
        case .data(let data): data.base64EncodedString()
        case .list(let values): values.json
        }
    }
}

extension [SharedValue] {
    fileprivate var json: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "[]" }
}

extension SharedValue: Codable {
    private enum Key: String, CodingKey { case double, date, data }
    private static let depthMax = 8

    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count < Self.depthMax + 4 else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "lists in lists too deep"))
        }
        if let container = try? decoder.container(keyedBy: Key.self) {
            self = try Self.tagged(container)
            return
        }
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else {
            self = .list(try container.decode([SharedValue].self))
        }
    }

    private static func tagged(_ container: KeyedDecodingContainer<Key>) throws -> SharedValue {
        func fault(_ key: Key) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: "no \(key.rawValue)")
        }
        if let data = try container.decodeIfPresent(String.self, forKey: .data) {
            guard let bytes = Data(base64Encoded: data) else { throw fault(.data) }
            return .data(bytes)
        }
        if let text = try container.decodeIfPresent(String.self, forKey: .date) {
            guard let date = Date(text: text) else { throw fault(.date) }
            return .date(date)
        }
        if let number = try? container.decode(Double.self, forKey: .double) { return .double(number) }
        // JSON has no NaN and no infinity.
        guard let number = Double(try container.decode(String.self, forKey: .double)) else { throw fault(.double) }
        return .double(number)
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .double, .date, .data: try encodeTagged(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .boolean(let flag): try container.encode(flag)
            case .list(let values): try container.encode(values)
            case .double, .date, .data: break
            }
        }
    }

    private func encodeTagged(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .double(let number) where number.isFinite: try container.encode(number, forKey: .double)
        case .double(let number): try container.encode("\(number)", forKey: .double)
        case .date(let date): try container.encode(date.text, forKey: .date)
        case .data(let data): try container.encode(data.base64EncodedString(), forKey: .data)
        default: break
        }
    }
}

extension Date {
    fileprivate init?(text: String) {
        guard case .date(let date)? = ScalarForm.string(text).property(as: .date) else { return nil }
        self = date
    }

    fileprivate var text: String { ScalarForm(.date(Date(milliseconds: milliseconds))).text }
}
