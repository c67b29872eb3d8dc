import Foundation
import FuzzFixture
import SluiceHTTPServer
import SluiceRecordService
import SluiceRecords
import Synchronization
import Testing

/// A record service in this process, with a zone, records and a file: asked through its handler, where the whole answer can be looked at, and
/// through a plain socket, where bytes come that no client would send.
struct FuzzedService {
    /// Errors that the service logged: what no rule of it foresaw.
    private final class FaultLines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { if line.hasPrefix("<3>") { lines.withLock { $0.append(line) } } }
    }

    private let handler: RecordService
    private let server: RecordServer
    private let place: RawSocket.Place
    private let token: AccessToken
    private let faults = FaultLines()
    private static let path = DatabasePath(container: "iCloud.test", environment: .development, scope: .private)
    /// Requests whose tokens, markers and tags are this service's.
    private var samples = WireSamples.requests
    private var targets: [[UInt8]] = []
    private var lines: [[UInt8]] = []

    /// Runs `body` with one that is there to the end and answers afterwards as before.
    static func with(_ engine: RecordedSyncTests.Engine, _ body: (FuzzedService) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") } }
        var service = try await FuzzedService(RecordedSyncTests.open(engine, in: folder), in: folder)
        do {
            try await service.prepare()
            try await service.expectAnswer("before")
            try await body(service)
        } catch {
            await service.server.stop(within: .seconds(2))
            throw error
        }
        try await service.expectAnswer("afterwards")
        let logged = service.faults.all
        #expect(logged.isEmpty, "seed \(Fuzzing.seed): \(logged.prefix(3))")
        await service.server.stop(within: .seconds(2))
    }

    private init(_ storage: any RecordStorage, in folder: URL) async throws {
        let assets = try FileAssetStore(folder: folder.appending(path: "assets").path)
        var random = SystemRandomNumberGenerator()
        token = AccessToken.user(&random)
        try await storage.addToken(
            NewToken(.user(name: "ann", holder: "phone"), digest: token.digest, container: Self.path.container, environment: .development))
        var configuration = ServiceConfiguration()
        (configuration.rate, configuration.burst) = (1e9, 1e9)
        let log = ServiceLog { [faults] in faults.append($0) }
        handler = RecordService(configuration, storage: storage, assets: assets, log: log)
        server = try RecordServer.start(
            configuration, http: ServerConfiguration(), on: ListenSocket(host: "127.0.0.1", port: 0), storage: storage, assets: assets, log: log)
        place = .port(server.port ?? 0)
    }

    /// Makes what there is to ask about, and puts this service's own words in the samples.
    private mutating func prepare() async throws {
        _ = try await answer(.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#)
        _ = try await answer(.recordsModify, String(decoding: samples[0].body, as: UTF8.self))
        let page = try await answer(.zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"Notes"}}]}"#)
        let zones = try await answer(.zonesList, "{}")
        let news = try await answer(.databaseChanges, "{}")
        let found = try await answer(.recordsQuery, #"{"zoneWide":true,"query":{"recordType":"T"},"resultsLimit":1}"#)
        let upload = try await answer(.assetsUpload, #"{"zoneID":{"zoneName":"Notes"},"tokens":[{"recordType":"T","fieldName":"a"}]}"#)
        let words = [
            ("z1.0000000000000001.0000000000000001.0.0000000000000001", page.word("syncToken")), ("1.0000000000000001", page.word("recordChangeTag")),
            ("d1.0000000000000000.0.0000000000000000", news.word("syncToken")), ("eyJ2ZXJzaW9uIjoxfQ==", found.word("continuationMarker")),
            ("_me", zones.word("ownerRecordName")),
        ]
        for index in samples.indices {
            var text = String(decoding: samples[index].body, as: UTF8.self)
            for (sample, word) in words { text = text.replacing("\"\(sample)\"", with: "\"\(try #require(word, "\(sample)"))\"") }
            samples[index].body = Array(text.utf8)
        }
        // Only what comes behind the name: the sockets of the tests are plain.
        let file = try #require(upload.word("url").flatMap { URL(string: $0) }.map { "\($0.path)?\($0.query ?? "")" })
        targets = ([file, file.replacing("upload", with: "download"), "/metrics", "/healthz", "/readyz", "/signin?x=1"]
            + Endpoint.allCases.map { "\(Self.path.path(of: $0))?ckAPIToken=x&ckWebAuthToken=y" }).map { Array($0.utf8) }
        lines = samples.map { WireSamples.message(head($0.endpoint), $0.body) }
            + [WireSamples.message("POST \(file) HTTP/1.1", Array("a file".utf8)), WireSamples.message("\(head(.zonesList))\r\nContent-Encoding: gzip", Self.gzip)]
    }

    /// That good bytes come through, or nothing is learned from bad ones.
    private func expectAnswer(_ when: String) async throws {
        let status = try await RawSocket.status(of: WireSamples.message(head(.zonesList), Array("{}".utf8)), at: place, patience: 60_000)
        #expect(status == 200, "\(when): \(place)")
    }

    /// `{}` as gzip writes it.
    private static let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xAB, 0xAE, 5, 0, 0x43, 0xBF, 0xA6, 0xA3, 2, 0, 0, 0]

    private func head(_ endpoint: Endpoint) -> String { head(endpoint.rawValue) }
    private func head(_ endpoint: String) -> String {
        "POST \(Self.path.path(of: .zonesList).replacing(Endpoint.zonesList.rawValue, with: endpoint)) HTTP/1.1\r\nAuthorization: Bearer \(token.text)"
            + "\r\nSluice-Client: x/1"
    }

    private func answer(_ endpoint: Endpoint, _ body: String) async throws -> String {
        let headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer \(token.text)", SluiceHeader.client: "x/1"]
        let answer = await handler.answer(
            HTTPRequest(method: "POST", target: Self.path.path(of: endpoint), headers: headers, body: Data(body.utf8)), connections: 1)
        let text = String(decoding: answer.body, as: UTF8.self)
        try #require(answer.status == 200, "\(text)")
        return text
    }

    // MARK: One round

    /// A body to an endpoint, which is mostly its own; a target; sometimes bytes to the socket.
    func ask(_ mutator: inout Mutator) async throws {
        let (endpoint, body) = request(&mutator)
        var headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer \(token.text)"]
        if mutator.number(below: 4) > 0 { headers.append(SluiceHeader.client, "x/1") }
        if mutator.number(below: 2) == 0 { headers.append(SluiceHeader.idempotencyKey, "\(mutator.number(below: 50))") }
        let target = Self.path.path(of: .zonesList).replacing(Endpoint.zonesList.rawValue, with: endpoint)
        let answer = await handler.answer(HTTPRequest(method: "POST", target: target, headers: headers, body: Data(body)), connections: 1)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status < 500 && !text.contains("INTERNAL_ERROR"), "\(endpoint) \(answer.status) \(text.prefix(300)) \(Fuzzing.text(body))")
        let odd = mutator.mutated(targets)
        // The body of an upload is taken to disk before the handler is asked, so uploads come by the socket only.
        let isUpload = String(decoding: odd, as: UTF8.self).contains("/files/upload")
        let method = isUpload ? "GET" : mutator.pick(["GET", "POST", "PUT"])
        let other = await handler.answer(HTTPRequest(method: method, target: String(decoding: odd, as: UTF8.self), headers: headers), connections: 1)
        #expect(other.status < 500, "\(method) \(other.status) \(Fuzzing.text(odd))")
        guard mutator.number(below: 4) == 0 else { return }
        let line = mutator.mutated(lines)
        let status = try await RawSocket.status(of: line, at: place)
        #expect(status == nil || status != 500, "\(Fuzzing.text(line))")
    }

    private func request(_ mutator: inout Mutator) -> (endpoint: String, body: [UInt8]) {
        let sample = mutator.pick(samples)
        let endpoint = mutator.number(below: 8) == 0 ? mutator.pick(samples).endpoint : sample.endpoint
        let body = mutator.spoiled(mutator.number(below: 8) == 0 ? WireSamples.documents : [sample.body])
        // Nobody should wait for news here.
        return String(decoding: body, as: UTF8.self).contains("waitSeconds") && endpoint == Endpoint.databaseChanges.rawValue
            ? (endpoint, Array(String(decoding: body, as: UTF8.self).replacing("waitSeconds", with: "unknown").utf8)) : (endpoint, body)
    }
}

extension String {
    /// The first text under a key, in JSON without blanks.
    fileprivate func word(_ key: String) -> String? {
        firstRange(of: "\"\(key)\":\"").flatMap { range in self[range.upperBound...].split(separator: "\"", maxSplits: 1).first.map(String.init) }
    }
}
