import Foundation
import SluiceRecordService
import SluiceSync

/// I-2, as a machine between devices and service sees it: an operation id stands for one body, and a body has its effect once.
final class EffectWatch {
    private var bodies: [String: Data] = [:]
    /// How often the service did what a body asks, by the body's digest.
    private var effects: [Data: String] = [:]

    /// - Returns: what is wrong with this request.
    func sees(_ request: ExchangeRequest) -> String? {
        guard let operation = request.operation else { return nil }
        if let known = bodies[operation], known != request.body { return "I-2 operation \(operation) was sent again with another body" }
        bodies[operation] = request.body
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
