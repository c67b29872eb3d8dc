import Testing

/// Arrows between modules only point down, and the pages draw what the manifest says.
@Suite struct ModuleArrowTests {
    /// What comes with the toolchain; everything else in an `import` is a module of ours.
    private static let toolchain: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Observation", "Synchronization", "SwiftSyntax", "SwiftSyntaxMacros",
        "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftIfConfig", "SwiftCompilerPluginMessageHandling",
    ]

    /// Modules that make or accept connections, in any graph.
    private static let networked: Set<String> = [
        "CCurl", "CMicroHTTPD", "CPostgreSQL", "SluicePostgreSQL", "SluiceHTTPClient", "SluiceHTTPServer", "SluiceRecordService", "SluiceCoordinator", "FoundationNetworking",
    ]

    static func imports(of source: SourceText) -> [String] {
        let declaration = #/
            (?m) ^ \h* (?: @\w+ (?: \( \w* \) )? \h+ )* (?: (?: public | package | internal | fileprivate | private ) \h+ )?
            import \h+ (?: (?: struct | class | enum | func | var | let | protocol | typealias ) \h+ )? (\w+)
            /#
        // The C shims of one library are one module of the target `CShims`.
        return source.code.matches(of: declaration).map { $0.1.hasPrefix("CShims") ? "CShims" : String($0.1) }
    }

    /// Which of a file's imports its target does not declare.
    static func undeclared(in source: SourceText, manifest: Manifest) -> [String] {
        let declared = manifest.modules.first { $0.name == source.module }?.dependencies ?? []
        return imports(of: source).filter { !toolchain.contains($0) && !declared.contains($0) }
    }

    @Test func `every target depends only on targets above it in the table`() throws {
        let modules = try Manifest.current().modules
        #expect(modules.count > 20)
        for (position, module) in modules.enumerated() {
            let lower = Set(modules[..<position].map(\.name))
            let wrong = module.dependencies.filter { !lower.contains($0) }
            #expect(wrong.isEmpty, "\(module.name) points up at \(wrong)")
        }
    }

    @Test func `every folder of Sources is a target and imports only what it declares`() throws {
        let manifest = try Manifest.current()
        let names = Set(manifest.modules.map(\.name))
        for source in SourceTree.sources {
            #expect(names.contains(source.module), "\(source.path) belongs to no target that the manifest's table lists")
            let found = Self.undeclared(in: source, manifest: manifest)
            #expect(found.isEmpty, "\(source.path) imports \(found), which its target does not declare")
        }
    }

    @Test func `an import that points up is caught`() {
        let manifest = Manifest(text: #"layer("SluiceSQLite", ["CSQLite"]), layer("SluiceStore", ["SluiceSQLite"]), // layer("SluiceOld")"#)
        let source = SourceText(
            path: "Sources/SluiceSQLite/Connection.swift",
            text: """
                import CSQLite
                import Dispatch
                @testable package import SluiceStore
                // import Nothing
                import struct CShimsCurl.CURL
                """)
        #expect(manifest.modules.map(\.name) == ["SluiceSQLite", "SluiceStore"])
        #expect(Self.undeclared(in: source, manifest: manifest) == ["SluiceStore", "CShims"])
    }

    @Test func `the base layers and helpers do without full Foundation`() throws {
        let light = try Manifest.current().graph(of: "sluice-glance").union(Manifest.current().graph(of: "sluice-mcp"))
            .union(["SluiceSQLite", "SluiceSchema", "SluiceReader"])
        for source in SourceTree.sources where light.contains(source.module) {
            let heavy = Self.imports(of: source).filter { $0.hasPrefix("Foundation") && $0 != "FoundationEssentials" }
            #expect(heavy.isEmpty, "\(source.path) imports \(heavy): a helper would pay for it at every start")
        }
    }

    @Test(arguments: ["sluice-glance", "sluice-mcp"]) func `nothing networked is in the graph of a helper`(helper: String) throws {
        let manifest = try Manifest.current()
        let graph = manifest.graph(of: helper)
        #expect(graph.contains("SluiceReader"))
        #expect(graph.isDisjoint(with: Self.networked), "\(graph.intersection(Self.networked))")
        for source in SourceTree.sources where graph.contains(source.module) {
            #expect(!source.code.contains(/(?:^|[^.\w])(?:socket|connect|accept|getaddrinfo)\(/), "\(source.path) opens a connection")
        }
    }

    @Test func `Architecture lists the modules in the manifest's order`() throws {
        let rows = try SourceTree.text("Docs/Architecture.md").matches(of: /(?m)^\| [^|`]+ \| ((?:`[A-Za-z-]+` ?)+) *\|$/)
        let names = rows.flatMap { $0.1.matches(of: /`([A-Za-z-]+)`/).map { String($0.1) } }
        #expect(names == (try Manifest.current().modules.map(\.name)))
    }

    @Test func `the README maps every module, lowest first`() throws {
        let rows = try SourceTree.text("README.md").matches(of: /(?m)^\| `([A-Za-z-]+)` \|/).map { String($0.1) }
        #expect(rows == (try Manifest.current().modules.map(\.name)))
    }
}
