import CBenchmarks
import Foundation
import SluiceHTTPClient
import SluiceRecords

/// What a record service does in a second, with HTTP and TLS before it, and how it keeps many long polls.
struct ServiceBenchmarks {
    private let service: MeasuredService
    private let client: HTTPClient
    private let folder: URL
    private let seconds: Double
    private let pollCount: Int

    private static let zone = ZoneID("Notes")
    private static let width = 32
    private static let batchCount = 200
    private static let pageCount = 200
    /// Bytes of a record's fields as the C loop writes them; about what ours come to.
    private static let fieldBytes: Int32 = 200

    init(folder: URL, seconds: Double, polls: Int) async throws {
        self.folder = folder
        self.seconds = seconds
        pollCount = polls
        service = try await MeasuredService(in: folder)
        client = try service.makeClient()
    }

    /// - Throws: `WrongResult` where an answer is not as it should be or records are missing afterwards.
    func measure() async throws -> ResultTable {
        var table = ResultTable()
        try await measureSingleWrites(&table)
        let owner = try await makeUser("reader")
        try await measureBatches(of: owner, &table)
        try await measurePages(of: owner, &table)
        table.append("memory of the service until here, peak", figure: String(format: "%.1f MiB", try service.program.peakMebibytes), goal: "≤ 100.0 MiB")
        try await measurePolls(&table)
        try service.program.stop()
        return table
    }

    private static func rate(_ count: some BinaryInteger, _ seconds: Double) -> String { "\(Int(Double(count) / seconds))/s" }

    /// - Returns: a token.
    private func makeUser(_ name: String) async throws -> String {
        let token = try service.token(user: name)
        let _: ZonesResponse = try await service.send(
            .zonesModify, ZonesModifyRequest(operations: [ZoneOperation(.create, Self.zone)]), token: token, by: client)
        return token
    }

    // MARK: Writes

    private func write(_ count: Int, token: String) throws -> [UInt8] {
        let fields = ["title": Field(.string("Item of a list")), "note": Field(.string(String(repeating: "n", count: 100))), "count": Field(.int64(1))]
        let record = Record(TLSLoad.namePlaceholder, type: "Item", fields: fields)
        let operations = Array(repeating: RecordOperation(.create, record), count: count)
        return try service.bytes(.recordsModify, ModifyRequest(operations: operations, zoneID: Self.zone, isAtomic: true), token: token)
    }

    private func measureSingleWrites(_ table: inout ResultTable) async throws {
        var tokens: [String] = []
        for number in 0..<Self.width { tokens.append(try await makeUser("user \(number)")) }
        try await measureSingleWrites("\(Self.width) users", tokens, &table)
        try await measureSingleWrites("one user", Array(repeating: tokens[0], count: Self.width), &table)
    }

    /// Service and C loop in turn, three times: both want both cores and the disk, and who else wants them changes.
    private func measureSingleWrites(_ name: String, _ tokens: [String], _ table: inout ResultTable) async throws {
        let users = Array(Set(tokens))
        let before = try await records(of: users)
        let requests = try tokens.map { try write(1, token: $0) }
        let load = try TLSLoad(to: service, count: Self.width)
        var (count, rounds) = (Int64(0), [(ours: Double, byHand: Double, answers: sluice_bench_answers)]())
        let cpu = try service.program.processorSeconds
        for _ in 0..<3 {
            let byHand = try groupCommits()
            let answers = try load.run(requests, inTurn: false, seconds: seconds)
            count += answers.count
            rounds.append((Double(answers.count) / answers.seconds, byHand, answers))
        }
        let busy = try (service.program.processorSeconds - cpu) / rounds.map(\.answers.seconds).reduce(0, +)
        let kept = try await records(of: users) - before
        try WrongResult.check(kept == count, "\(kept) records are there of \(count) that were acknowledged")
        rounds.sort { $0.ours / $0.byHand < $1.ours / $1.byHand }
        let median = rounds[1]
        table.append(
            "durable writes of one record, \(Self.width) TLS clients, \(name)", sluice: "\(Int(median.ours))/s", byHand: "\(Int(median.byHand))/s",
            figure: String(format: "%.2f", median.ours / median.byHand), goal: "≥ 0.5")
        table.append(
            "the same: median, slowest, cores of the service",
            figure: String(format: "%.1f ms, %.1f ms, %.2f", median.answers.median_milliseconds, median.answers.slowest_milliseconds, busy))
    }

    /// Rows that the C loop commits in a second.
    private func groupCommits() throws -> Double {
        let file = folder.appending(path: "group-\(UUID().uuidString).sqlite")
        var rows: Int64 = 0
        let code = sluice_bench_group_commit(file.path, Int32(Self.width), seconds, Self.fieldBytes, &rows)
        try WrongResult.check(code == 0, "the C loop ended with SQLite code \(code)")
        return Double(rows) / seconds
    }

    /// How many records the users have, by their feeds.
    private func records(of tokens: [String]) async throws -> Int64 {
        var count: Int64 = 0
        for token in tokens { count += Int64(try await walk(token, limit: nil).count) }
        return count
    }

    private func measureBatches(of owner: String, _ table: inout ResultTable) async throws {
        let load = try TLSLoad(to: service, count: 4)
        let answers = try load.run([try write(Self.batchCount, token: owner)], inTurn: true, seconds: seconds)
        let count = try await walk(owner, limit: nil).count
        let expected = Int(answers.count) * Self.batchCount
        try WrongResult.check(count == expected, "\(count) records are there of \(expected) that were acknowledged")
        table.append("new records, batches of \(Self.batchCount), 4 TLS clients", sluice: Self.rate(expected, answers.seconds))
    }

    // MARK: Reads

    /// Goes through the feed once, as a device without a token does.
    /// - Returns: how many records there are, and the request of each page.
    private func walk(_ token: String, limit: Int?) async throws -> (count: Int, pages: [ZoneChangesRequest]) {
        var (count, pages, sync, isOver) = (0, [ZoneChangesRequest](), String?.none, false)
        while !isOver {
            let request = ZoneChangesRequest(zones: [.init(Self.zone, syncToken: sync, resultsLimit: limit)])
            let response: ZoneChangesResponse = try await service.send(.zoneChanges, request, token: token, by: client)
            guard case .changes(let page)? = response.zones.first else { throw WrongResult(description: "the feed has no page") }
            pages.append(request)
            (count, sync, isOver) = (count + page.records.count, page.syncToken, !page.moreComing)
        }
        return (count, pages)
    }

    private func measurePages(of owner: String, _ table: inout ResultTable) async throws {
        let pages = try await walk(owner, limit: Self.pageCount).pages.dropLast()
        let requests = try pages.map { try service.bytes(.zoneChanges, $0, token: owner) }
        let answers = try TLSLoad(to: service, count: 4).run(requests, inTurn: true, seconds: seconds)
        table.append(
            "feed pages of \(Self.pageCount) records, 4 TLS clients", sluice: Self.rate(answers.count, answers.seconds),
            figure: "\(Int(Double(answers.count) * Double(Self.pageCount) / answers.seconds)) records/s")
    }

    // MARK: Long polls

    private func measurePolls(_ table: inout ResultTable) async throws {
        let token = try await makeUser("sleeper")
        let now: DatabaseChangesResponse = try await service.send(.databaseChanges, DatabaseChangesRequest(), token: token, by: client)
        let poll = try service.bytes(.databaseChanges, DatabaseChangesRequest(syncToken: now.syncToken, waitSeconds: 50), token: token)
        let before = try (service.program.mebibytes, service.program.descriptorCount)
        let load = try TLSLoad(to: service, count: pollCount + 1)
        try load.wait(poll)
        try await waitUntilPollsWait()
        let meanwhile = try (service.program.mebibytes, service.program.descriptorCount, service.program.threadCount)
        let times = try load.wake(try write(1, token: token))
        table.append(
            "\(pollCount) long polls after one write: first, median, last",
            figure: String(format: "%.1f ms, %.1f ms, %.1f ms", times[0], times[times.count / 2], times[times.count - 1]))
        table.append(
            "the service while they wait: more memory, more descriptors, threads; peak",
            figure: String(
                format: "%.1f MiB, %d, %d; %.1f MiB", meanwhile.0 - before.0, meanwhile.1 - before.1, meanwhile.2, try service.program.peakMebibytes))
    }

    private func waitUntilPollsWait() async throws {
        for _ in 0..<3_000 {
            if try await service.metric("sluice_long_polls", by: client) == Double(pollCount) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw WrongResult(description: "not all long polls wait after half a minute")
    }
}
