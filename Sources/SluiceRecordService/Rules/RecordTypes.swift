import SluiceRecords
import Synchronization

/// Learns what records look like in development, and keeps them to what was deployed in production.
///
/// A container whose operator never deployed anything takes every record in production too. Deleting and reading ask for nothing.
final class RecordTypes: Sendable {
    private struct Place: Hashable {
        let container: String
        let environment: ServiceEnvironment

        init(_ path: DatabasePath) { (container, environment) = (path.container, path.environment) }
    }

    private struct Known {
        private(set) var fields: Set<RecordField>
        /// The same by record type and name: of every field of every record it is asked whether it is among them.
        private var valueTypes: [String: [String: [String]]] = [:]
        /// Milliseconds since 1970.
        let readAt: Int64

        init(_ fields: [RecordField], readAt: Int64) {
            self.fields = []
            self.readAt = readAt
            add(fields)
        }

        mutating func add(_ more: [RecordField]) {
            for field in more where fields.insert(field).inserted { valueTypes[field.recordType, default: [:]][field.name, default: []].append(field.valueType) }
        }

        func holds(_ recordType: String, _ name: String, _ valueType: String) -> Bool {
            valueTypes[recordType]?[name]?.contains(valueType) == true
        }
    }

    private let storage: any RecordStorage
    private let now: @Sendable () -> Int64
    /// By container and environment, of which there are as many as an operator issued tokens for.
    private let known = Mutex<[Place: Known]>([:])

    /// How long what was read is taken for true: another process may deploy. A record is never refused on the word of an old reading.
    private static let freshness: Int64 = 5_000
    /// Beyond as many in one container nothing more is learnt.
    private static let learntCountMax = 10_000

    init(storage: any RecordStorage, now: @escaping @Sendable () -> Int64) {
        self.storage = storage
        self.now = now
    }

    // MARK: Production

    /// The same elements, with those refused that production does not know.
    func checked(_ elements: [PreparedElement], zone: ZoneID, in database: DatabaseID, of path: DatabasePath) async throws -> [PreparedElement] {
        guard path.environment == .production else { return elements }
        var fields = try await known(at: Place(path), noOlderThan: Self.freshness).fields
        guard !fields.isEmpty else { return elements }
        let types = try await typesOfStored(elements, zone: zone, in: database)
        if elements.contains(where: { Self.fault(of: $0, types, fields) != nil }) { fields = try await known(at: Place(path), noOlderThan: 0).fields }
        return elements.map { element in
            guard case .operation(let prepared) = element, let reason = Self.fault(of: element, types, fields) else { return element }
            return .refused(recordName: prepared.operation.record.recordName, ServerError(.badRequest, reason))
        }
    }

    /// The types of records that operations change without saying of which type they are, by name.
    private func typesOfStored(_ elements: [PreparedElement], zone: ZoneID, in database: DatabaseID) async throws -> [String: String] {
        let names = elements.compactMap { element -> String? in
            guard case .operation(let prepared) = element, prepared.operation.record.recordType == nil, !prepared.operation.kind.deletes else { return nil }
            return prepared.operation.record.recordName
        }
        guard !names.isEmpty else { return [:] }
        let stored = try await storage.records(named: names, zone: zone, in: database)
        let types = zip(names, stored).compactMap { name, record in record?.head.recordType.map { (name, $0) } }
        return Dictionary(types, uniquingKeysWith: { first, _ in first })
    }

    /// Why production does not take an element, in the dialect's words; nil where it does.
    private static func fault(of element: PreparedElement, _ types: [String: String], _ known: Set<RecordField>) -> String? {
        guard case .operation(let prepared) = element, !prepared.operation.kind.deletes else { return nil }
        let record = prepared.operation.record
        // Without a type and without a record the operation fails by itself.
        guard let type = record.recordType ?? types[record.recordName] else { return nil }
        guard known.contains(RecordField(type)) else { return "Cannot create new type \(type) in production schema" }
        for (name, field) in record.fields.sorted(by: { $0.key < $1.key }) {
            let expected = known.filter { $0.recordType == type && $0.name == name }
            guard !expected.isEmpty else { return "Cannot create or modify field '\(name)' in record '\(type)' in production schema" }
            // Nobody can say of what type the elements of an empty list are.
            guard let value = field.value, value != .emptyList, !expected.contains(where: { $0.valueType == value.type }) else { continue }
            return "Invalid value, expected type \(expected.map(\.valueType).sorted().joined(separator: " or "))"
        }
        return nil
    }

    // MARK: Development

    /// Remembers what was written.
    /// - Parameter results: one for each element.
    func learn(_ elements: [PreparedElement], _ results: [RecordResult], of path: DatabasePath) async throws {
        guard path.environment == .development else { return }
        let place = Place(path)
        let known = try await known(at: place, noOlderThan: .max)
        var new: Set<RecordField> = []
        for (element, result) in zip(elements, results) { Self.collect(from: element, result, unknownTo: known, into: &new) }
        guard !new.isEmpty, known.fields.count < Self.learntCountMax else { return }
        let sorted = new.sorted()
        try await storage.addRecordFields(sorted, to: place.container, place.environment)
        self.known.withLock { $0[place]?.add(sorted) }
    }

    private static func collect(from element: PreparedElement, _ result: RecordResult, unknownTo known: Known, into new: inout Set<RecordField>) {
        guard case .operation(let prepared) = element, !prepared.operation.kind.deletes, result.error == nil else { return }
        let stored: String? = if case .stored(let record) = result { record.head.recordType } else { result.record?.recordType }
        guard let type = prepared.operation.record.recordType ?? stored else { return }
        if !known.holds(type, "", "") { new.insert(RecordField(type)) }
        for (name, field) in prepared.operation.record.fields {
            guard let value = field.value, value != .emptyList, !known.holds(type, name, value.type) else { continue }
            new.insert(RecordField(type, name, value.type))
        }
    }

    private func known(at place: Place, noOlderThan age: Int64) async throws -> Known {
        let now = now()
        if let known = known.withLock({ $0[place] }), age == .max || age > 0 && now - known.readAt < age { return known }
        let read = Known(try await storage.recordFields(of: place.container, place.environment), readAt: now)
        known.withLock { $0[place] = read }
        return read
    }
}
