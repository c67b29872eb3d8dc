// swift-tools-version: 6.0
import PackageDescription

// A package of somebody else's, that names Sluice by path: `Deploy/test.sh` builds and runs it.
let package = Package(
    name: "SecondPackage",
    dependencies: [.package(name: "Sluice", path: "../..")],
    targets: [
        // The README's example.
        .executableTarget(name: "Example", dependencies: [.product(name: "SluiceData", package: "Sluice")]),
        // Says `import SwiftData` and nothing else.
        .executableTarget(name: "Unchanged", dependencies: [.product(name: "SwiftData", package: "Sluice")]),
    ]
)
