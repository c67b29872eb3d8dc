import Foundation
import SluiceRecordService
import SluiceRecords
import SluiceSync

/// I-2, as a machine between devices and service sees it: an operation id stands for one body, and a body has its effect once.
final class EffectWatch {
    private var bodies: [String: (body: Data, first: Int64)] = [:]
    /// By body, the operation id that it is sent under. A body with a record in it carries the number of its operation and is like no other.
    private var operations: [Data: String] = [:]
    /// How often the service did what a body asks, by the body's digest.
    private var effects: [Data: String] = [:]
    /// A device was copied byte for byte: both freeze what neither had sent, with the same words.
    var bodiesMayRepeat = false
    /// Milliseconds for which a service remembers operations.
    private static let memory = Int64(ServiceLimits.ledgerDays) * 86_400_000

    /// - Parameter now: the true time, in milliseconds.
    /// - Returns: what is wrong with this request.
    func sees(_ request: ExchangeRequest, at now: Int64) -> String? {
        guard let operation = request.operation else { return nil }
        if let known = bodies[operation] {
            if known.body != request.body { return "I-2 operation \(operation) was sent again with another body" }
            return now - known.first > Self.memory ? "I-2 operation \(operation) was sent again after the service may have forgotten it" : nil
        }
        bodies[operation] = (request.body, now)
        guard !bodiesMayRepeat, request.body.range(of: Data(RecordMapping.metadataField.utf8)) != nil else { return nil }
        if let other = operations[request.body] { return "I-2 the body of operation \(other) was sent again as operation \(operation)" }
        operations[request.body] = operation
        return nil
    }

    /// - Returns: what is wrong with this write.
    func tookEffect(_ taken: FailingStorage.Taken) -> String? {
        guard let operation = taken.operation, taken.wroteRecords else { return nil }
        if let earlier = effects[operation.digest] {
            return "I-2 what operation \(earlier) did was done once more\(earlier == operation.id ? "" : " as operation \(operation.id)")"
        }
        effects[operation.digest] = operation.id
        return nil
    }

    /// The service is an older one: what it has forgotten it may be told again.
    func serviceLostMemory() { effects = [:] }
}
