import CBenchmarks
import Foundation

/// Connections to a service over TLS, all driven by one thread of C: two cores serve and measure, so the client has to be cheap.
///
/// Every run blocks the calling thread until the last answer is there.
final class TLSLoad {
    private let connections: OpaquePointer
    private let count: Int
    /// Names given out so far; no two requests of a process write the same record. Unsafe: runs block their thread, and benchmarks run one after
    /// the other.
    nonisolated(unsafe) private static var nextName: UInt64 = 0
    /// Stands for a record name in a request; each time it is sent, another name is put there.
    static let namePlaceholder = String(repeating: "?", count: 36)

    /// - Throws: `WrongResult` where a connection cannot be opened.
    init(to service: MeasuredService, count: Int) throws {
        var fault = [CChar](repeating: 0, count: 512)
        guard let connections = sluice_bench_connect(Int32(service.port), service.authorities, Int32(count), &fault) else {
            throw WrongResult(description: "\(count) connections cannot be opened: \(Self.text(fault))")
        }
        self.connections = connections
        self.count = count
    }

    deinit { sluice_bench_disconnect(connections) }

    /// Keeps all connections busy for a time.
    /// - Parameter inTurn: connections share the list; else each has the request of its number.
    /// - Throws: `WrongResult` with the first answer that is not as it should be.
    func run(_ requests: [[UInt8]], inTurn: Bool, seconds: Double) throws -> sluice_bench_answers {
        var answers = sluice_bench_answers()
        withRequests(requests) { sluice_bench_load(connections, $0, inTurn ? 1 : 0, seconds, &Self.nextName, &answers) }
        try Self.check(answers)
        return answers
    }

    /// Sends `request` on all connections but one, and no more.
    func wait(_ request: [UInt8]) throws {
        var answers = sluice_bench_answers()
        withRequests([request]) { sluice_bench_wait(connections, $0, &answers) }
        try Self.check(answers)
    }

    /// Sends `request` on the connection that is left.
    /// - Returns: when each of the waiting ones was answered, in milliseconds from then on, in order.
    func wake(_ request: [UInt8]) throws -> [Double] {
        var answers = sluice_bench_answers()
        var times = [Double](repeating: 0, count: count)
        withRequests([request]) { sluice_bench_wake(connections, $0, &Self.nextName, &times, &answers) }
        try Self.check(answers)
        try WrongResult.check(answers.count == Int64(count), "\(answers.count) of \(count) connections were answered")
        return Array(times.dropLast())
    }

    private static func check(_ answers: sluice_bench_answers) throws {
        let fault = withUnsafeBytes(of: answers.fault) { Self.text(Array($0.bindMemory(to: CChar.self))) }
        try WrongResult.check(fault.isEmpty, fault)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func withRequests(_ requests: [[UInt8]], _ body: (UnsafePointer<sluice_bench_requests>) -> Void) {
        let counts = requests.map(\.count)
        let joined = requests.flatMap { $0 }
        joined.withUnsafeBufferPointer { bytes in
            var offset = 0
            let starts = counts.map { count -> UnsafePointer<UInt8>? in
                defer { offset += count }
                return bytes.baseAddress.map { $0 + offset }
            }
            starts.withUnsafeBufferPointer { starts in
                counts.withUnsafeBufferPointer { counts in
                    var list = sluice_bench_requests(bytes: starts.baseAddress, byte_counts: counts.baseAddress, count: Int32(requests.count))
                    body(&list)
                }
            }
        }
    }
}
