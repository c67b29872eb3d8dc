import Foundation
import SluiceCoordinator
import SluiceReader
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// A device of one user: `sluiced` as its own process, its state and its group container, in a folder of a benchmark.
final class MeasuredDevice {
    static let zone = "shop"
    private static let schemaText = """
        schema: shop
        version: 1.0.0
        entities:
          Item:
            attributes:
              name: string
              quantity: int64
              isChecked: boolean
              price: double
              note: string?
              createdAt: date
              category: string

        """

    let name: String
    private let folder: URL
    private(set) var program: RunningProgram?

    /// Writes the account's files; nothing runs yet.
    init(_ name: String, of service: MeasuredService) throws {
        self.name = name
        folder = service.folder.appending(path: name)
        for place in ["accounts.d", "schemas/shop"] {
            try FileManager.default.createDirectory(at: folder.appending(path: place), withIntermediateDirectories: true)
        }
        try Data(Self.schemaText.utf8).write(to: folder.appending(path: "schemas/shop/1.0.0.yaml"))
        let token = folder.appending(path: "token")
        try Data(try service.token(user: "ann", holder: name).utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        try Data(
            """
            service: {url: "\(service.url)", container: \(MeasuredService.path.container), environment: development, zone: \(Self.zone), authoritiesFile: \(service.authorities)}
            credentials: {userTokenFile: \(token.path)}
            schema: {path: \(folder.appending(path: "schemas/shop").path)}
            synced: {stateDirectory: \(state)}
            local: {group: helpers, groupsDirectory: \(folder.path)}

            """.utf8
        ).write(to: folder.appending(path: "accounts.d/\(name).yaml"))
    }

    private var state: String { folder.appending(path: "state").path }
    var container: GroupContainer { GroupContainer(directory: folder.appending(path: "helpers").path) }

    func start() throws {
        program = try RunningProgram("sluiced", ["--config", folder.path], log: folder.appending(path: "sluiced.log"))
    }

    func stop() throws {
        try program?.stop()
        program = nil
    }

    /// The state of its account.
    /// - Parameter isDetailed: with counts and the digest of all rows.
    /// - Throws: `ControlFailure` before the coordinator has come up.
    func status(isDetailed: Bool = false) async throws -> AccountStatus {
        try await control().get("/v1/status" + (isDetailed ? "?counts=1&digest=1" : ""))
    }

    func control() throws -> ControlClient { try ControlClient(account: name, stateDirectory: state) }

    /// Waits until it has nothing to send and no news to fetch.
    func settle() async throws {
        while true {
            guard program?.isRunning == true else { throw WrongResult(description: "the coordinator of \(name) has ended") }
            do {
                let status = try await status()
                try WrongResult.check(!["waiting", "blocked"].contains(status.state), "\(name) is \(status.state): \(status.reason ?? "")")
                if status.state == "idle", status.lastSuccess != nil, status.pending == 0 { return }
            } catch is ControlFailure {
                // It is not up yet.
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: Rows

    /// Puts rows into the synced store while no coordinator runs, so many at a time.
    func fill(_ count: Int) throws {
        guard let schema = try Store.schema(at: state + "/Private.store") else { throw WrongResult(description: "\(name) has no synced store yet") }
        let store = try Store(path: state + "/Private.store", schema: schema, options: Store.Options(zone: Self.zone))
        for start in stride(from: 0, to: count, by: 10_000) {
            try store.write {
                for number in start..<min(count, start + 10_000) { try store.put("Item", name: .uuid(ModelBenchmarks.identifier(number)), Self.row(number)) }
            }
        }
        _ = try store.connection.checkpoint()
    }

    /// As the models of the other benchmarks are filled.
    private static func row(_ number: Int) -> RowEdit {
        var values: [String: PropertyValue] = [
            "name": .string("Item \(number)"), "quantity": .integer(Int64(number % 10)), "isChecked": .boolean(number.isMultiple(of: 2)),
            "price": .double(Double(number) * 0.25), "createdAt": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
            "category": .string("Category \(number % 20)"),
        ]
        if number.isMultiple(of: 3) { values["note"] = .string("a note that is longer than fifteen bytes") }
        return RowEdit(attributes: values)
    }

    /// How many rows a helper finds; 0 before there is a container.
    var shownCount: Int {
        get throws {
            do { return try container.ask { try $0.count(of: "Item") } } catch ReaderError.noStore { return 0 }
        }
    }

    /// What a helper reads of one row.
    func shownName(of record: RecordName) throws -> String? {
        try container.ask { try $0.row(named: record, attributes: ["name"])?.string("name") }
    }
}
