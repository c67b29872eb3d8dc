import SluiceRecords
import Testing

@testable import SluiceRecordService

/// One user's queries beside everybody else's.
@Suite struct QueryGateTests {
    @Test func `only so many queries of one user pass at a time, others are not held up, and each makes room when it ends`() async throws {
        let gate = QueryGate()
        let (ann, bob) = (DatabaseID(rawValue: 1), DatabaseID(rawValue: 2))
        func nest(_ depth: Int) async throws -> Int {
            guard depth > 0 else { return try await gate.pass(bob) { 7 } }
            return try await gate.pass(ann) { try await nest(depth - 1) }
        }
        #expect(try await nest(ServiceLimits.queriesAtOnce) == 7)
        let error = await #expect(throws: ServerError.self) { try await nest(ServiceLimits.queriesAtOnce + 1) }
        #expect(error?.code == .throttled && error?.retryAfter == 1)
        #expect(try await nest(ServiceLimits.queriesAtOnce) == 7)
    }
}
