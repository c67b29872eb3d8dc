/// The targets of `Package.swift` as its table lists them. Read as text: the package manager, asked in its own test run, waits for itself.
struct Manifest {
    struct Module: Equatable {
        var name: String
        var dependencies: [String]
    }

    /// Without test targets, in the order of the table.
    let modules: [Module]

    init(text: String) {
        let table = text.replacing(/\/\/[^\n]*/, with: "")
        let entry = /(?:systemLibrary|layer|program|\.target|\.macro)\(\s*(?:name: )?"([A-Za-z-]+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?/
        modules = table.matches(of: entry).map { match in
            Module(name: String(match.1), dependencies: (match.2 ?? "").matches(of: /"([^"]+)"/).map { String($0.1) })
        }
    }

    static func current() throws -> Manifest { Manifest(text: try SourceTree.text("Package.swift")) }

    /// The module and everything below it.
    func graph(of name: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [name]
        while let next = waiting.popLast() {
            guard found.insert(next).inserted else { continue }
            waiting += modules.first { $0.name == next }?.dependencies ?? []
        }
        return found
    }
}
