// swift-tools-version: 6.0
import CompilerPluginSupport
import Foundation
import PackageDescription

// Targets stand lowest first; arrows only point down (Docs/Architecture.md draws them).

/// One system library: its module map lives in `Sources/<name>`, its flags come from pkg-config.
func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A library target of ours.
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies)
}

/// A program: it parses, calls a library below, and prints.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies)
}

/// The tests of one target, in `Tests/<name>Tests`.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies)
}

/// What tests of several targets start or run, in `Tests/<name>`.
func testSupport(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)")
}

/// Tests that hold the articles' code as it was printed. Its stored statics are errors in Swift 6 mode, and its readers set no upcoming features.
func articleTests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    // SluiceData by name too: through a module that only re-exports it, a build that goes on does not see that it changed.
    .testTarget(name: name, dependencies: ["SwiftData", "SluiceData"] + dependencies, swiftSettings: [.swiftLanguageMode(.v5)])
}

/// Where the toolchain keeps its SwiftSyntax modules, next to the compiler that `PATH` names. SwiftSyntax comes with every toolchain, and no
/// package can be fetched where Sluice is built. The flags below are unsafe in SwiftPM's sense: a package that depends on this one by path
/// may use them, one that depends on it by URL may not (Docs/Dependencies.md).
let toolchainSyntax: String = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let compiler = folders.map({ "\($0)/swiftc" }).first(where: FileManager.default.isExecutableFile(atPath:)) else { return "" }
    return URL(fileURLWithPath: compiler).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("lib/swift/host").path
}()

let syntaxLibraries = [
    "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftIfConfig", "SwiftCompilerPluginMessageHandling",
]
/// What the plug-in's tests need besides: the compiler parses and expands for the plug-in, nobody does for them.
let expansionLibraries = ["SwiftParser", "SwiftSyntaxMacroExpansion"]
let syntaxCompilerFlags: [SwiftSetting] = [.unsafeFlags(["-I", toolchainSyntax])]
func syntaxLinkerFlags(_ libraries: [String]) -> [LinkerSetting] {
    [.unsafeFlags(["-L", toolchainSyntax] + libraries.map { "-l\($0)" } + ["-Xlinker", "-rpath", "-Xlinker", toolchainSyntax])]
}

let targets: [Target] = [
    // System libraries. Docs/Dependencies.md gives the reason for each.
    systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    systemLibrary("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    systemLibrary("CGnuTLS", pkgConfig: "gnutls", apt: "libgnutls28-dev"),
    systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    systemLibrary("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    systemLibrary("CPlist", pkgConfig: "libplist-2.0", apt: "libplist-dev"),
    systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    systemLibrary("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),

    // Variadic calls, macros and globals of C that Swift cannot reach. No logic. One header per library, so
    // that a helper that links only SQLite compiles only SQLite's.
    .target(name: "CShims"),

    // Places at which a test may end the process; nothing in a release.
    layer("SluiceFailpoints"),
    // One connection, one owner; every SQLite call and result code is checked in one place.
    layer("SluiceSQLite", ["CSQLite", "SluiceFailpoints"]),
    // JSON, strictly: one meaning or an error, exact numbers, the same bytes for the same value.
    layer("SluiceJSON"),
    // What a store holds, as plain values: entities, attributes, relationships; and how they lie in a file.
    layer("SluiceSchema", ["SluiceSQLite", "SluiceJSON"]),
    // SHA-256, SHA-1 and record names derived from them.
    layer("SluiceDigest", ["COpenSSL"]),
    // Durations, sizes and near misses, as people type them on a command line or in a file.
    layer("SluiceNotation"),
    // Rows, their change log and everything sync keeps beside them; the only module above the binding with SQL for stores.
    layer("SluiceStore", ["SluiceFailpoints", "SluiceSchema", "SluiceSQLite", "SluiceDigest"]),
    // The reading half of a group container. Helpers link it: SQLite and FoundationEssentials, nothing else.
    layer("SluiceReader", ["SluiceSchema", "SluiceSQLite", "SluiceJSON"]),

    // What `@Model` and its companions expand to: a compiler plug-in. No helper may have it in its graph: with it a static executable does not link.
    .macro(name: "SluiceMacros", swiftSettings: syntaxCompilerFlags, linkerSettings: syntaxLinkerFlags(syntaxLibraries)),
    // SwiftData's API over the store: models, containers, contexts, fetches, history, observation.
    layer("SluiceData", ["SluiceMacros", "SluiceStore", "SluiceReader", "SluiceSchema", "SluiceSQLite", "SluiceDigest"]),
    // The same under SwiftData's name, so that sources compile without a change.
    layer("SwiftData", ["SluiceData"]),
    // Models of a group container, for programs that only read it: the typed face of SluiceReader.
    layer("SluiceReaderModels", ["SluiceData", "SluiceReader"]),

    // The wire dialect as values: records, zones, feeds, errors and their JSON. No I/O, no clock.
    layer("SluiceRecords", ["SluiceJSON"]),
    // An HTTP server over TCP, TLS or a Unix socket, for the record service and the coordinator's control socket.
    layer("SluiceHTTPServer", ["CMicroHTTPD", "CGnuTLS", "CZlib", "CShims"]),
    // One session of a PostgreSQL server: pipelines, values in binary, errors by SQLSTATE. No SQL of ours.
    layer("SluicePostgreSQL", ["CPostgreSQL"]),
    // The record service: storage behind one protocol, the dialect's endpoints, and the limits at the door.
    layer(
        "SluiceRecordService",
        ["SluiceFailpoints", "SluiceRecords", "SluiceHTTPServer", "SluicePostgreSQL", "SluiceSQLite", "SluiceDigest", "CShims", "COpenSSL"]),
    // What daemons share: signals as values, and word to the service manager.
    layer("SluiceDaemon"),

    // The sync core as a value, the merge, and what they do to a store. No network, no clock.
    layer("SluiceSync", ["SluiceRecords", "SluiceStore", "SluiceSchema", "SluiceSQLite", "SluiceDigest"]),

    // The writing half of a group container: projections, numbered local stores, the pointer to the current one.
    layer("SluiceGroup", ["SluiceFailpoints", "SluiceStore", "SluiceReader", "SluiceSchema", "SluiceSQLite"]),

    // Legacy stores: staged byte for byte, read, accounted for in a report. Core Data's file layout is known here only.
    layer(
        "SluiceImport",
        [
            "SluiceFailpoints", "SluiceRecords", "SluiceStore", "SluiceSQLite", "SluiceSchema", "SluiceDigest", "SluiceNotation", "CPlist", "CZlib",
            "CShims",
        ]),

    // Devices, a service, networks, disks, clocks and people in one thread, from one seed; what must hold afterwards, and code broken on purpose.
    layer(
        "SluiceSimulation",
        [
            "SluiceSync", "SluiceRecordService", "SluiceHTTPServer", "SluiceGroup", "SluiceReader", "SluiceRecords", "SluiceStore", "SluiceSchema",
            "SluiceSQLite", "SluiceDigest", "SluiceJSON",
        ]),

    // Commands as declared types, help and usage errors from the declarations; light enough for a static helper.
    layer("SluiceCommandLine", ["SluiceNotation"]),
    // A group container as a Model Context Protocol server, without its process.
    layer("SluiceMCP", ["SluiceReader", "SluiceSchema", "SluiceJSON", "SluiceCommandLine"]),
    // HTTP over TCP and Unix sockets: libcurl's multi interface on a thread of its own.
    layer("SluiceHTTPClient", ["CCurl", "CShims"]),
    // Account, schema and service files: YAML with positions, every fault of a file at once.
    layer("SluiceConfiguration", ["CYAML", "SluiceSchema", "SluiceStore", "SluiceSync", "SluiceDigest", "SluiceNotation"]),

    // Runs accounts: locks, effects of the sync core, control sockets. Everything that waits or talks is here.
    layer(
        "SluiceCoordinator",
        [
            "SluiceConfiguration", "SluiceImport", "SluiceSync", "SluiceGroup", "SluiceStore", "SluiceReader", "SluiceRecords", "SluiceSchema",
            "SluiceSQLite", "SluiceDigest", "SluiceHTTPClient", "SluiceHTTPServer", "SluiceFailpoints", "CShims",
        ]),

    // A coordinator inside a program that has the models: holds the lock, and with it the right to open the synced store.
    layer(
        "SluiceEmbedded",
        ["SluiceCoordinator", "SluiceConfiguration", "SluiceData", "SluiceGroup", "SluiceHTTPClient", "SluiceReader", "SluiceSchema", "SluiceSync"]),

    // For widgets, status bars and cron: reads a group container and prints. Links fully static; nothing networked in its graph.
    program("sluice-glance", ["SluiceReader", "SluiceSchema", "SluiceCommandLine"]),
    // The same view for language models: the Model Context Protocol on standard input and output. As light, and as static.
    program("sluice-mcp", ["SluiceMCP", "SluiceCommandLine"]),

    // What people and scripts call: status, rows, imports, checks.
    program("sluice", ["SluiceCommandLine", "SluiceConfiguration", "SluiceCoordinator", "SluiceImport", "SluiceStore", "SluiceReader", "SluiceSchema", "SluiceSQLite"]),
    // The coordinator: one process that owns the synced stores of its accounts.
    program("sluiced", ["SluiceCommandLine", "SluiceConfiguration", "SluiceCoordinator", "SluiceDaemon"]),
    // Hosts records: makes, serves and looks after one embedded service.
    program(
        "sluice-records",
        [
            "SluiceRecordService", "SluiceRecords", "SluiceHTTPServer", "SluicePostgreSQL", "SluiceDaemon", "SluiceConfiguration", "SluiceCommandLine",
            "SluiceNotation", "SluiceSQLite", "SluiceDigest",
        ]),

    // C loops that the benchmarks stand beside, and a client that is in no server's way.
    .target(name: "CBenchmarks", dependencies: ["CSQLite", "COpenSSL"], linkerSettings: [.linkedLibrary("ssl")]),
    // Times Sluice beside what one would write by hand, in one run.
    program(
        "sluice-bench",
        [
            "SluiceData", "SluiceRecordService", "SluicePostgreSQL", "SluiceRecords", "SluiceGroup", "SluiceReader", "SluiceStore", "SluiceSchema",
            "SluiceSQLite", "SluiceCoordinator", "SluiceHTTPClient", "SluiceSync", "CBenchmarks", "SluiceCommandLine",
        ]),
    // Runs simulations from seeds and scenario files, and shrinks what fails.
    program("sluice-simulate", ["SluiceSimulation", "SluiceCommandLine"]),

    // Rules about the tree itself: who opens files, which way arrows point, what pages may say.
    .testTarget(name: "TidyTests"),
    tests(of: "SluiceSQLite"),
    tests(of: "SluiceSchema", ["SluiceDigest"]),
    tests(of: "SluiceStore", ["SluiceSchema", "SluiceSQLite"]),
    .testTarget(
        name: "SluiceMacrosTests", dependencies: ["SluiceMacros"], swiftSettings: syntaxCompilerFlags,
        linkerSettings: syntaxLinkerFlags(syntaxLibraries + expansionLibraries)),
    tests(of: "SluiceData", ["SluiceStore", "SluiceSchema", "SluiceSQLite"]),
    // What the articles print and claim. One target for each set of class names: three of them declare a `SchemaV1`.
    articleTests("ArticleTests", ["SluiceStore", "SluiceSchema"]),
    articleTests("ArticleTestsShopping"),
    articleTests("ArticleTestsVersions"),
    articleTests("ArticleTestsSplitting"),
    tests(of: "SluiceSync", ["SluiceSimulation", "SluiceStore", "SluiceSchema", "SluiceRecords", "SluiceSQLite"]),
    // CloudKit with Apple's habits only, written from the document and not from our service.
    testSupport("CloudKitDouble", ["SluiceHTTPServer", "SluiceJSON", "SluiceDigest"]),
    tests(of: "SluiceSimulation", ["sluice-simulate", "SluiceJSON", "SluiceSync", "SluiceStore", "SluiceSchema", "SluiceRecords", "SluiceRecordService", "SluiceSQLite"]),
    tests(
        of: "SluiceCoordinator",
        [
            "SluiceConfiguration", "SluiceRecordService", "SluiceHTTPServer", "SluiceHTTPClient", "SluiceRecords", "SluiceSchema", "SluiceStore",
            "SluiceSync", "SluiceReader", "SluiceGroup", "SluiceImport", "SluiceSQLite", "SluicePostgreSQL", "SluiceJSON", "CloudKitDouble",
            "PostgreSQLFixture", "FuzzFixture",
        ]),
    // The other program of the articles' split, run by the tests below.
    .executableTarget(name: "GroupReaderProgram", dependencies: ["SluiceData"], path: "Tests/GroupReaderProgram"),
    tests(of: "SluiceEmbedded", ["GroupReaderProgram", "SluiceData", "SluiceCoordinator", "SluiceRecordService", "SluiceHTTPServer", "SluiceRecords"]),
    // Real processes, real sockets, real TLS, other users, kill -9.
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "sluice", "sluiced", "sluice-records", "sluice-glance", "SluiceCoordinator", "SluiceHTTPClient", "SluiceRecords", "SluiceSync",
            "SluiceReader", "SluiceSQLite", "SluiceStore", "SluiceSchema", "SluiceFailpoints", "CloudKitDouble", "SluiceHTTPServer", "SluiceRecordService",
        ]),
    tests(of: "SluiceReader", ["SluiceGroup", "SluiceStore", "SluiceSchema", "SluiceSQLite"]),
    tests(of: "SluiceReaderModels", ["SluiceData", "SluiceReader", "SluiceGroup", "SluiceStore", "SluiceSchema"]),
    tests(of: "SluiceGroup", ["SluiceReader", "SluiceStore", "SluiceSchema", "SluiceSQLite"]),
    // Runs the built helper, also as another user.
    .testTarget(
        name: "SluiceMCPTests",
        dependencies: ["SluiceMCP", "sluice-mcp", "SluiceGroup", "SluiceReader", "SluiceStore", "SluiceSchema"]),
    .testTarget(
        name: "SluiceGlanceTests",
        dependencies: ["sluice-glance", "sluice-mcp", "sluiced", "SluiceGroup", "SluiceReader", "SluiceStore", "SluiceSchema", "SluiceSQLite"]),
    tests(of: "SluiceRecords"),
    tests(of: "SluiceNotation"),
    tests(of: "SluiceCommandLine", ["SluiceNotation"]),
    tests(of: "SluiceHTTPServer", ["FuzzFixture"]),
    // Bytes that are a little wrong, or very, from a seed.
    testSupport("FuzzFixture"),
    // A PostgreSQL server of the tests' own, in a temporary folder.
    testSupport("PostgreSQLFixture"),
    tests(of: "SluicePostgreSQL", ["PostgreSQLFixture"]),
    tests(of: "SluiceRecordService", ["PostgreSQLFixture", "FuzzFixture", "SluiceRecords", "SluiceHTTPServer", "SluiceHTTPClient", "SluicePostgreSQL", "SluiceDigest", "SluiceSQLite"]),
    tests(of: "SluiceDaemon"),
    // The real program: processes, signals, kills.
    .testTarget(
        name: "SluiceRecordsProgramTests",
        dependencies: ["sluice-records", "PostgreSQLFixture", "FuzzFixture", "SluiceConfiguration", "SluiceNotation", "SluiceRecordService", "SluiceRecords", "SluiceHTTPClient"]),
    tests(of: "SluiceHTTPClient"),
    tests(of: "sluice", ["FuzzFixture", "SluiceConfiguration", "SluiceSchema", "SluiceSQLite", "SluiceStore"]),
    tests(of: "SluiceConfiguration", ["SluiceSchema", "SluiceStore", "SluiceSync", "SluiceNotation"]),
    tests(of: "SluiceImport", ["SluiceStore", "SluiceSQLite", "SluiceSchema", "SluiceDigest", "CPlist", "CZlib"]),
]

// Swift 6 mode everywhere; imports are internal unless a target says otherwise.
for target in targets where ![.system, .plugin].contains(target.type) && !["CShims", "CBenchmarks"].contains(target.name)
    && !target.name.hasPrefix("ArticleTests") {
    target.swiftSettings = (target.swiftSettings ?? []) + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
    ]
}

let package = Package(
    name: "Sluice",
    products: [
        .library(name: "SluiceData", targets: ["SluiceData"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .library(name: "SluiceEmbedded", targets: ["SluiceEmbedded"]),
        .library(name: "SluiceSimulation", targets: ["SluiceSimulation"]),
        .executable(name: "sluice-simulate", targets: ["sluice-simulate"]),
        .library(name: "SluiceReader", targets: ["SluiceReader", "SluiceSchema"]),
        .library(name: "SluiceReaderModels", targets: ["SluiceReaderModels", "SluiceReader", "SluiceData"]),
        .executable(name: "sluice-glance", targets: ["sluice-glance"]),
        .executable(name: "sluice-mcp", targets: ["sluice-mcp"]),
        .executable(name: "sluice-records", targets: ["sluice-records"]),
    ],
    targets: targets
)
