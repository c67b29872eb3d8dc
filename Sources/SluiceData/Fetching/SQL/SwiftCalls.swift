// What SQL has no words for, Swift does: a predicate's part that cannot be said in SQL exactly, such as a member of a codable value,
// becomes a closure, and the statement calls it for each row by number. The numbers count for as long as their fetch lives.

import SluiceSQLite
import Synchronization

/// The closures of one fetch.
final class SwiftCalls {
    typealias Body = ([SQLiteValue]) -> SQLiteValue

    private var numbers: [Int64] = []

    /// Values have few distinct forms as a rule (the cases of an enum, say), and decoding costs more than remembering.
    private static let rememberedCountMax = 256

    deinit { Self.registry.withLock { registry in numbers.forEach { registry.closures[$0] = nil } } }

    /// - Returns: what a statement passes to `sluice_call` first.
    func add(_ body: @escaping Body) -> SQLiteValue {
        let number = Self.registry.withLock { registry in
            registry.last += 1
            registry.closures[registry.last] = Closure(body)
            return registry.last
        }
        numbers.append(number)
        return .integer(number)
    }

    /// A statement outlived the fetch that it was made for.
    struct Missing: Error, CustomStringConvertible {
        let description = "the statement calls back into a fetch that is over"
    }

    static func closure(_ number: Int64) -> Closure? { registry.withLock { $0.closures[number] } }

    /// One closure and its last answers.
    final class Closure: @unchecked Sendable {
        // Sendable: the fetch that made it runs it, on one thread; the registry only hands it through.

        private let body: Body
        private var remembered: [[SQLiteValue]: SQLiteValue] = [:]

        init(_ body: @escaping Body) { self.body = body }

        func call(_ arguments: [SQLiteValue]) -> SQLiteValue {
            guard arguments.allSatisfy(Self.isItsBytes) else { return body(arguments) }
            if let answer = remembered[arguments] { return answer }
            let answer = body(arguments)
            if remembered.count >= SwiftCalls.rememberedCountMax { remembered.removeAll(keepingCapacity: true) }
            remembered[arguments] = answer
            return answer
        }

        /// Whether equal values are the same value: texts and numbers may be equal and yet differ, as 0 and −0 do.
        private static func isItsBytes(_ value: SQLiteValue) -> Bool {
            switch value {
            case .blob, .integer, .null: true
            case .real, .text: false
            }
        }
    }

    private struct Registry {
        var last: Int64 = 0
        var closures: [Int64: Closure] = [:]
    }

    private static let registry = Mutex(Registry())
}
