import Foundation
import Testing

@testable import SluiceReader

@Suite struct LocalStoreFileTests {
    @Test(arguments: [
        "Local.0.store", "Local.01.store", "Local.1.store-wal", "local.1.store", "Local..store", "Local.1.x.store", "../Local.1.store",
        "Local.-1.store", "Local.1", "",
    ])
    func `only names that a writer gives are names of local stores`(name: String) {
        #expect(LocalStoreFile(name: name) == nil)
    }

    @Test func `a pointer reads back, whatever its state`() throws {
        let states: [ContainerPointer.State] = [.preparing, .current, .migrating(MigrationProgress(stage: 2, of: 3, named: "V1toV2"))]
        for state in states {
            let pointer = ContainerPointer(
                file: LocalStoreFile(number: 3), state: state, schemaVersion: "1.0.0", generation: 12,
                lastSync: Date(milliseconds: 1_771_416_482_061))
            let bytes = try JSONEncoder().encode(pointer)
            #expect(try JSONDecoder().decode(ContainerPointer.self, from: bytes) == pointer)
        }
    }
}
