import Testing

/// Closing any other descriptor of a store's files drops SQLite's POSIX locks, and a second writer's committed rows vanish. So nothing but
/// SluiceSQLite opens a store. Two rules hold that: whoever opens files by path stands in a register with what it opens, and nobody may
/// open what looks like a store.
@Suite struct ForeignDescriptorTests {
    /// Every file outside SluiceSQLite that opens files by path, and what it opens.
    private static let register: [String: String] = [
        "Sources/sluice-bench/MigrationBenchmarks.swift": "a benchmark's store while no connection of the process has it open",
        "Sources/sluice-bench/PeakMemory.swift": "the kernel's account of this process, under /proc",
        "Sources/sluice-bench/MeasuredDevice.swift": "the files of a benchmark's account, to write them",
        "Sources/sluice-bench/MeasuredService.swift": "the file of a benchmark's service, to write it",
        "Sources/sluice-bench/RunningProgram.swift": "the kernel's account of another process, and what that printed",
        "Sources/sluice-bench/SpawnedProgram.swift": "the kernel's account of another process",
        "Sources/SluiceCommandLine/Output/StandardStreams.swift": "the null device, in the place of a standard stream that is closed",
        "Sources/SluiceConfiguration/Account/CredentialSource.swift": "credential files, at most a few kilobytes",
        "Sources/SluiceConfiguration/ConfigurationFile.swift": "configuration files",
        "Sources/SluiceConfiguration/SchemaFile/ReleaseDiscipline.swift": "the list of released versions, to write it",
        "Sources/SluiceConfiguration/SchemaFile/ReleasedSums.swift": "the same, to read it",
        "Sources/SluiceCoordinator/Account/AccountLock.swift": "the account's lock file",
        "Sources/SluiceCoordinator/Account/FlightRecorder.swift": "the note of an account in flight",
        "Sources/SluiceCoordinator/Account/StateDirectory.swift": "small text files that are replaced whole",
        "Sources/SluiceCoordinator/Configuration/AccountPlanning.swift": "account files, to compare them at a reload",
        "Sources/SluiceCoordinator/Control/ControlClient.swift": "the state directory, to reach the socket in it",
        "Sources/SluiceCoordinator/Control/ControlSocket.swift": "the state directory, to bind the socket in it",
        "Sources/SluiceCoordinator/Health/AccountHealth.swift": "the account's lock file, for the number of its process",
        "Sources/SluiceCoordinator/Legacy/LegacyIntake.swift": "the report beside a staged copy",
        "Sources/SluiceCoordinator/Service/RotatedToken.swift": "the rotated token",
        "Sources/SluiceData/Container/StoreFile.swift": "a coordinator's lock file, for the number of its process",
        "Sources/SluiceData/Schema/Schema.swift": "schema files",
        "Sources/SluiceGroup/Directory/GroupDirectory.swift": "the container's directory, to sync it",
        "Sources/SluiceGroup/Directory/PointerFile.swift": "defaults.json",
        "Sources/SluiceGroup/LocalStore/LockHolders.swift": "the kernel's list of locks",
        "Sources/SluiceImport/Staging/Folder.swift": "directories, to sync them",
        "Sources/SluiceImport/Staging/OpenFile.swift":
            "legacy stores at their source, which no connection of this process ever opens, and staged bytes before SQLite sees them",
        "Sources/SluiceImport/Staging/StagedStore.swift": "the manifest of a staged copy",
        "Sources/SluiceReader/GroupContainer.swift": "defaults.json",
        "Sources/SluiceSchema/External/ExternalValues.swift": "values that lie in files beside a store, which SQLite never opens",
        "Sources/SluiceStore/Backup/BackupFolder.swift": "the backups' folder, to lock it, and directories, to sync them",
        "Sources/SluiceStore/Backup/ProvisionalBackup.swift": "a mark beside a backup, to lock it",
        "Sources/SluiceStore/Backup/RestoreLock.swift": "the account's lock file",
        "Sources/SluiceStore/Backup/StoreBackup.swift": "values in files that cannot be linked",
        "Sources/SluiceStore/External/ExternalValueWriter.swift": "the same, to write them, and their folders, to sync them",
        "Sources/SluiceSimulation/World/SimulatedDevice.swift": "the store of a device that lost power, while no connection has it open",
        "Sources/sluice-simulate/Printing.swift": "scenario files, to write them",
        "Sources/sluice-simulate/SimulateCommand.swift": "a scenario file",
        "Sources/sluice/Legacy/Import.swift": "a schema file, to write it",
        "Sources/sluice/Schema/SchemaExport.swift": "schema files, to write them",
        "Sources/SluiceRecordService/Assets/FileAssetStore.swift": "files of records, to receive and send them, and their folders, to sync them",
        "Sources/SluiceRecordService/DataDirectory/DataDirectory.swift": "the service's lock file",
        "Sources/SluiceRecordService/DataDirectory/ServiceBackup.swift": "files of records that cannot be linked, and folders of a backup, to sync them",
        "Sources/SluiceRecordService/DataDirectory/SecretFiles.swift": "certificates and keys",
        "Sources/SluiceRecordService/SQLite/ChangePipe.swift": "the named pipe beside the service's database",
    ]

    /// Where legacy bytes are copied before SQLite opens the copy: the only folder that may open what looks like a store.
    private static let staging = "Sources/SluiceImport/Staging/"

    struct Opening: Equatable {
        var line: Int
        var argument: String
    }

    private static let openers: [(source: SourceText, openings: [Opening])] = SourceTree.sources
        .filter { $0.module != "SluiceSQLite" }.map { ($0, openings(in: $0)) }.filter { !$0.openings.isEmpty }

    /// Calls that make a descriptor from a path. A method of that name (`writer.open(`) and a declaration are something else.
    static func openings(in source: SourceText) -> [Opening] {
        let call =
            #/
            (?: (?: ^ | [^.\w] ) (?: sluice_open | open | open64 | openat | creat | fopen | fopen64 | freopen )
              | (?: ^ | [^.\w] ) (?: FileHandle | InputStream | NSData )
              | Glibc\.f?open
              | \b (?: Data | String ) (?= \( \s* contentsOf )
              | \.contents (?= \( \s* atPath )
              | \.write (?= \( \s* to (?: File )? : \s* [^&\s] )
              | \. (?: copyItem | createFile )
            ) \(
            /#
        // Where a type has a method `open`, the bare name means that method.
        let hasOwn = source.code.contains(/\bfunc open\(/)
        return source.code.matches(of: call).compactMap { match in
            if hasOwn, match.0.hasSuffix("open("), !match.0.contains(/Glibc|fopen|sluice_open/) { return nil }
            return Opening(
                line: SourceText.line(of: source.code.index(before: match.range.upperBound), in: source.code),
                argument: argument(from: match.range.upperBound, in: source))
        }
    }

    /// Openings whose argument, or the local value that it names, spells a store file.
    static func storeOpenings(in source: SourceText) -> [Opening] {
        let store = #/
            \.(?:store|sqlite3?|db)\b | -(?:wal|shm|journal)\b
            | (?i: store (?: file | main | database )? _? (?: path | file | url | name ) s?\b ) | (?i: private | local ) Store\b
            /#
        return openings(in: source).filter { opening in
            // The kernel opens nothing but a directory so.
            if opening.argument.contains("O_DIRECTORY") { return false }
            var names = variables(in: opening.argument)
            var spelled = opening.argument
            // A chain of local values: `let source = path + "-wal"`, `let url = URL(filePath: source)`, `open(url.path)`.
            for _ in 0..<4 {
                for match in source.text.matches(of: /(?:let|var)\s+(\w+)[^=\n]*=\s*([^\n]*)/) where names.contains(String(match.1)) {
                    spelled += "\n" + match.2
                    names.formUnion(variables(in: match.2))
                }
            }
            return spelled.contains(store)
        }
    }

    /// Names that may be local values: no members, no argument labels.
    private static func variables(in expression: some StringProtocol) -> Set<String> {
        Set(String(expression).matches(of: /(?:^|[^.\w])([A-Za-z_]\w*)(?!\w|:)/).map { String($0.1) })
    }

    /// The text up to the parenthesis that closes the call.
    private static func argument(from start: String.Index, in source: SourceText) -> String {
        var depth = 1
        var end = start
        while end < source.code.endIndex {
            if source.code[end] == "(" { depth += 1 }
            if source.code[end] == ")" { depth -= 1 }
            if depth == 0 { break }
            end = source.code.index(after: end)
        }
        // Blanking keeps the number of bytes, so the same offsets hold in the text.
        let offset = source.code.utf8.distance(from: source.code.startIndex, to: start)
        let length = source.code.utf8.distance(from: start, to: end)
        let bytes = source.text.utf8.dropFirst(offset).prefix(length)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `whoever opens files by path is registered with what it opens`() {
        for (source, openings) in Self.openers where Self.register[source.path] == nil {
            let lines = openings.map(\.line)
            Issue.record("\(source.path) opens files in lines \(lines): say in the register what they are, or go through SluiceSQLite")
        }
    }

    @Test func `the register names nobody who opens nothing`() {
        for path in Self.register.keys.sorted() {
            #expect(Self.openers.contains { $0.source.path == path }, "\(path) opens nothing: take it off the register")
        }
    }

    @Test func `nothing but SluiceSQLite opens a store`() {
        for (source, _) in Self.openers where !source.path.hasPrefix(Self.staging) {
            let found = Self.storeOpenings(in: source).map { "\($0.line): \($0.argument)" }
            #expect(found.isEmpty, "\(source.path) opens a store: \(found)")
        }
    }

    @Test(
        "a planted violation is caught",
        arguments: [
            #"let handle = try FileHandle(forReadingFrom: URL(filePath: directory + "/Private.store"))"#,
            #"let bytes = try Data(contentsOf: URL(filePath: store.path + "-wal"))"#,
            #"let log = path + "-shm"; let descriptor = open(log, O_RDONLY)"#,
            #"let bytes = FileManager.default.contents(atPath: directory.privateStorePath)"#,
            #"guard let stream = fopen(storePath, "r") else { return nil }"#,
            "let name = \"Local.1.store\"\nlet url = folder.appending(path: name)\nlet descriptor = Glibc.open(url.path, O_RDONLY)",
            #"try FileManager.default.copyItem(atPath: storeFile, toPath: target)"#,
            #"let descriptor = sluice_open(directory.storePath, O_RDONLY, 0)"#, #"try bytes.write(to: URL(filePath: path + "-wal"))"#,
        ])
    func plantedStore(text: String) {
        let source = SourceText(path: "Sources/Planted/Planted.swift", text: text)
        #expect(Self.storeOpenings(in: source).count == 1)
    }

    @Test(
        "what only looks like an opening is none",
        arguments: [
            "func open(_ path: String) throws {}", "try await runtime.open(storePath)", "// open(storePath)",
            #"let text = "open(\(storePath))""#,
            #"bytes.append(contentsOf: "-wal".utf8)"#, "try reopen(storePath)",
            "func open(_ path: String) {}\nfunc run() { open(storePath) }",
        ])
    func harmless(text: String) {
        #expect(Self.openings(in: SourceText(path: "Sources/Planted/Planted.swift", text: text)).isEmpty)
    }

    @Test func `an opening of an unknown path is caught by the register`() {
        let text = "func digest(of path: String) -> Int32 {\n    open(path, O_RDONLY)\n}"
        let source = SourceText(path: "Sources/Planted/Planted.swift", text: text)
        #expect(Self.openings(in: source) == [.init(line: 2, argument: "path, O_RDONLY")])
    }
}
