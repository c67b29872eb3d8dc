import Foundation
import SluiceSchema
import Testing

@testable import SluiceStore

/// Killed between the file and the commit: no row, no half of a value, and nothing that stays for good.
@Suite struct ExternalCrashTests {
    @Test(arguments: ["renaming:1", "renamed:1", "committing:1", "committed:1"])
    func `a process killed while it writes a value leaves the row before or after, and garbage that goes`(point: String) async throws {
        let fixture = try StoreFixture(.gallery)
        let folder = fixture.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String, point = point as String] in
            setenv("SLUICE_FAILPOINT", point, 1)
            let store = try StoreFixture.open(URL(filePath: folder), .gallery, clock: StoreFixture.TestClock())
            try store.write { try store.put("Photo", name: .text("a"), RowEdit(attributes: ["image": .data(.sample(200_000))])) }
        }
        #expect(fixture.externalFiles.count == 1)
        let isCommitted = point == "committed:1"
        #expect(try fixture.image("a") == (isCommitted ? .data(.sample(200_000)) : nil))
        fixture.age()
        #expect(try fixture.store.collectExternalValues() == (isCommitted ? 0 : 1))
        #expect(try fixture.store.externalFaults(checkingContents: true).isEmpty)
        try fixture.putPhoto("a", ["image": .data(.sample(200_000))])
        #expect(try fixture.image("a") == .data(.sample(200_000)))
    }
}
