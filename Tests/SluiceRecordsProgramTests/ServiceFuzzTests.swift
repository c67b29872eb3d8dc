import Foundation
import FuzzFixture
import Glibc
import SluiceHTTPClient
import SluiceRecords
import Testing

/// The program itself under bytes of every kind, seen from outside: it goes on, with the memory, the descriptors and the threads that it had.
@Suite(.timeLimit(.minutes(60))) struct ServiceFuzzTests {
    /// What a process holds, as /proc tells.
    private struct Holding {
        let kibibytes: Int
        let kibibytesPeak: Int
        let descriptors: Int
        let threads: Int

        init(of pid: Int32) throws {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            func number(_ key: String) throws -> Int {
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(key):") })
                return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
            }
            (kibibytes, kibibytesPeak, threads) = (try number("VmRSS"), try number("VmHWM"), try number("Threads"))
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
        }
    }

    private static let bodyBytes = 1 << 20
    /// 64 MiB of blanks in 64 KiB of gzip. The program that everybody has makes it, on a thread of its own.
    private static func makeBomb() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                process.arguments = ["-c", "head -c 67108864 /dev/zero | tr '\\0' ' ' | gzip -9"]
                let output = Pipe()
                process.standardOutput = output
                do { try process.run() } catch { return continuation.resume(throwing: error) }
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: bytes)
            }
        }
    }

    private func start() throws -> ServiceProcess {
        let service = try ServiceProcess()
        let file = try service.writeFile("limits: {requestBytes: 1MiB}\nrate: {requestsPerSecond: 1000000, burst: 1000000}")
        try service.start(["--config", file.path])
        return service
    }

    @Test func `the service stands what comes over TLS and instead of TLS: no 500, no end, and no more memory, descriptors or threads`() async throws {
        let service = try start()
        let client = try service.makeClient()
        try await service.makeZone(client)
        let requests = service.requests
        let place = RawSocket.Place.port(UInt16(service.port))
        let bomb = try await Self.makeBomb()
        #expect(bomb.count > 10_000)
        var (count, early) = (0, Holding?.none)
        try await Fuzzing.run("sluice-records", share: 0.15) { mutator in
            // Eight at once, as clients come.
            var messages: [(endpoint: String, body: Data, isGzip: Bool)] = []
            for _ in 0..<8 {
                let sample = mutator.pick(WireSamples.requests.filter { $0.endpoint != Endpoint.databaseChanges.rawValue })
                var body = Data(mutator.spoiled([sample.body]))
                if mutator.number(below: 16) == 0 { body.append(Data(repeating: UInt8(ascii: " "), count: mutator.number(below: 2 * Self.bodyBytes))) }
                let isBomb = mutator.number(below: 32) == 0
                messages.append((sample.endpoint, isBomb ? bomb : body, isBomb || mutator.number(below: 16) == 0))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (endpoint, body, isGzip) in messages { group.addTask { try await Self.ask(requests, client, endpoint, body, isGzip) } }
                try await group.waitForAll()
            }
            _ = try await RawSocket.status(of: mutator.mutated([Self.hello, WireSamples.message("GET /healthz HTTP/1.1", [])]), at: place)
            count += 1
            if count == 50 { early = try Holding(of: service.process.processIdentifier) }
        }
        // Connections that broke are let go when the server has noticed.
        let before = try #require(early)
        var after = try Holding(of: service.process.processIdentifier)
        let end = ContinuousClock.now + .seconds(30)
        while after.descriptors > before.descriptors + 8, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
            after = try Holding(of: service.process.processIdentifier)
        }
        print("fuzzing of sluice-records: \(before) then \(after)")
        #expect(after.descriptors <= before.descriptors + 8 && after.threads <= before.threads + 4, "\(before) then \(after)")
        #expect(after.kibibytes <= before.kibibytes + 48 << 10 && after.kibibytesPeak <= 256 << 10, "\(before) then \(after)")
        #expect(!service.log.split(separator: "\n").contains { $0.hasPrefix("<3>") }, "\(service.log.split(separator: "\n").filter { $0.hasPrefix("<3>") }.prefix(3))")
        #expect(try await service.names(client).count < 10_000)
        #expect(service.end(SIGTERM) == 0)
    }

    private static func ask(_ requests: ServiceProcess.Requests, _ client: HTTPClient, _ endpoint: String, _ body: Data, _ isGzip: Bool) async throws {
        var headers = [HTTPHeader("Authorization", "Bearer \(requests.userToken)"), HTTPHeader(SluiceHeader.client, "tests/1")]
        if isGzip { headers.append(HTTPHeader("Content-Encoding", "gzip")) }
        let path = ServiceProcess.path.path(of: .zonesList).replacing(Endpoint.zonesList.rawValue, with: endpoint)
        let url = try #require(URL(string: "https://127.0.0.1:\(requests.port)\(path)"))
        let answer: HTTPClientResponse
        // A body over the limit is refused while it is being sent; who sends it may not come to reading why.
        do { answer = try await client.send(HTTPClientRequest(.post, url, headers: headers, body: body)) } catch {
            if body.count <= bodyBytes { throw error }
            return
        }
        #expect(answer.status < 500, "\(endpoint) \(answer.status) \(Fuzzing.text(Array(body)))")
        if isGzip && body.count > 10_000 { #expect([400, 413].contains(answer.status), "\(answer.status)") }
    }

    /// How a TLS client begins: a record of 512 bytes with a ClientHello of version 1.2, the rest of which is zeros.
    private static let hello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + [UInt8](repeating: 0, count: 506)
}
