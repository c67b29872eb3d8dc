import CBenchmarks
import Foundation
import SluiceCoordinator
import SluiceHTTPClient
import SluiceRecords
import SluiceSchema

/// Records on their way: from one device to the service, from there to another device and to its helpers.
struct SyncBenchmarks {
    private let service: MeasuredService
    private let client: HTTPClient
    private let folder: URL
    private let rows: Int
    private let edits: Int
    /// Operations in one request, as the service allows.
    private static let batchCount = 2_000
    /// Bytes of a row as the C loop writes it; about what a record's fields come to.
    private static let fieldBytes: Int32 = 400

    init(folder: URL, rows: Int, edits: Int) async throws {
        self.folder = folder
        self.rows = rows
        self.edits = edits
        service = try await MeasuredService(in: folder)
        client = try service.makeClient()
    }

    /// - Throws: `WrongResult` where devices and service do not hold the same in the end.
    func measure(_ report: (String) -> Void) async throws -> ResultTable {
        var table = ResultTable()
        let (first, second) = (try MeasuredDevice("first", of: service), try MeasuredDevice("second", of: service))
        try first.start()
        try await first.settle()
        try first.stop()
        report("filling the first device")
        try first.fill(rows)
        report("pushing \(rows) records")
        try await measurePush(first, &table)
        report("pulling them")
        try await measurePull(second, &table)
        try await compare(first, second)
        report("editing")
        try await measureEdits(first, second, &table)
        for (name, program) in [("first coordinator", first.program), ("second coordinator", second.program), ("service", service.program)] {
            guard let program else { continue }
            table.append("memory of the \(name), peak", figure: String(format: "%.1f MiB", try program.peakMebibytes), goal: "≤ 100.0 MiB")
        }
        for device in [first, second] { try device.stop() }
        try service.program.stop()
        return table
    }

    private static func rate(_ count: Int, _ seconds: Double) -> String { "\(Int(Double(count) / seconds))/s" }

    /// What a phase took of everybody.
    private struct Cost {
        let seconds: Double
        let requests: Int
        let deviceProcessor: Double
        let serviceProcessor: Double
        var cells: String { String(format: "%.2f s, %d, %.2f s, %.2f s", seconds, requests, deviceProcessor, serviceProcessor) }
    }

    private func cost(of device: MeasuredDevice, _ body: () async throws -> Void) async throws -> Cost {
        let requests = try await service.metric("sluice_requests_total", by: client)
        let processor = try service.program.processorSeconds
        let began = ContinuousClock.now
        try device.start()
        try await body()
        let seconds = began.duration(to: .now) / .seconds(1)
        return Cost(
            seconds: seconds, requests: Int(try await service.metric("sluice_requests_total", by: client) - requests),
            deviceProcessor: try device.program?.processorSeconds ?? 0, serviceProcessor: try service.program.processorSeconds - processor)
    }

    // MARK: Push and pull

    private func measurePush(_ device: MeasuredDevice, _ table: inout ResultTable) async throws {
        let byHand = try ContinuousClock().measure {
            let files = ["device.sqlite", "service.sqlite"].map { folder.appending(path: $0).path }
            let code = sluice_bench_push(files[0], files[1], Int64(rows), Int32(Self.batchCount), Self.fieldBytes)
            try WrongResult.check(code == 0, "the C loop ended with SQLite code \(code)")
        } / .seconds(1)
        let cost = try await cost(of: device) { try await device.settle() }
        let written = Int(try await service.metric("sluice_records_written_total", by: client))
        try WrongResult.check(written == rows, "the service has written \(written) records of \(rows)")
        table.append("push of \(rows) new records, start to end", sluice: Self.rate(rows, cost.seconds), figure: Self.rate(rows, cost.seconds), goal: "≥ 20000/s")
        table.append(
            "the same beside a C loop with the same batches and commits", sluice: String(format: "%.2f s", cost.seconds),
            byHand: String(format: "%.2f s", byHand), figure: String(format: "%.2f", byHand / cost.seconds), goal: "≥ 0.3")
        table.append("the same: time, requests, processor of coordinator and service", figure: cost.cells)
    }

    private func measurePull(_ device: MeasuredDevice, _ table: inout ResultTable) async throws {
        var settled = 0.0
        let began = ContinuousClock.now
        let cost = try await cost(of: device) {
            try await device.settle()
            settled = began.duration(to: .now) / .seconds(1)
            while try device.shownCount < rows { try await Task.sleep(for: .milliseconds(20)) }
        }
        table.append("pull of \(rows) records by a fresh device", sluice: Self.rate(rows, settled), figure: Self.rate(rows, settled), goal: "≥ 30000/s")
        table.append("the same until a helper sees them all", sluice: Self.rate(rows, cost.seconds))
        table.append("the same: time, requests, processor of coordinator and service", figure: cost.cells)
    }

    private func compare(_ first: MeasuredDevice, _ second: MeasuredDevice) async throws {
        let (one, other) = (try await first.status(isDetailed: true), try await second.status(isDetailed: true))
        try WrongResult.check(one.entities["Item"] == rows, "the first device has \(one.entities["Item"] ?? 0) rows of \(rows)")
        try WrongResult.check(one.digest != nil && one.digest == other.digest, "the devices hold different rows")
    }

    // MARK: Edits

    private func measureEdits(_ first: MeasuredDevice, _ second: MeasuredDevice, _ table: inout ResultTable) async throws {
        let token = try service.token(user: "ann", holder: "editor")
        let remote = try await times(on: second) { record, text in
            let edit = RecordOperation(.forceUpdate, Record(record.text, type: "Item", fields: ["name": Field(.string(text))]))
            let answer: RecordsResponse = try await service.send(
                .recordsModify, ModifyRequest(operations: [edit], zoneID: ZoneID(MeasuredDevice.zone)), token: token, by: client)
            try WrongResult.check(answer.records.allSatisfy { $0.error == nil }, "an edit was refused")
        }
        table.append(
            "remote edit, sent to the service → a helper of a device sees it, median of \(edits)",
            figure: String(format: "%.1f ms", remote[remote.count / 2]), goal: "≤ 50.0 ms")
        let control = try first.control()
        let local = try await times(on: second) { record, text in
            let _: PutResponse = try await control.post("/v1/put", PutRequest(entity: "Item", name: record.text, properties: ["name": .string(text)]))
        }
        table.append(
            "edit at one device → a helper of the other sees it, median of \(edits) (pushDelay 250 ms)",
            figure: String(format: "%.1f ms", local[local.count / 2]))
    }

    /// How long each edit takes to be seen, in milliseconds, sorted.
    private func times(on device: MeasuredDevice, _ edit: (RecordName, String) async throws -> Void) async throws -> [Double] {
        var times: [Double] = []
        for number in 0..<edits {
            let record = RecordName.uuid(ModelBenchmarks.identifier(number * 997 % rows))
            let text = "edited \(UUID().uuidString)"
            // The device has to be waiting at the service again.
            try await device.settle()
            let began = ContinuousClock.now
            try await edit(record, text)
            while try device.shownName(of: record) != text {
                try WrongResult.check(began.duration(to: .now) < .seconds(30), "an edit was not seen within 30 s")
                try await Task.sleep(for: .milliseconds(1))
            }
            times.append(began.duration(to: .now) / .milliseconds(1))
        }
        return times.sorted()
    }
}
