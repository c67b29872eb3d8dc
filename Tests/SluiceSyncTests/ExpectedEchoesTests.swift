import SluiceRecords
import Testing

@testable import SluiceSync

/// When pages are asked for without fields.
@Suite struct ExpectedEchoesTests {
    private func page(_ names: [String]) -> ZoneChanges {
        ZoneChanges(ZoneID("shop"), syncToken: "t", moreComing: true, records: names.map { .record(Record($0, type: "Item", changeTag: "tag")) })
    }

    private func names(_ count: Int) -> [String] { (0..<count).map { "r\($0)" } }

    @Test func `after much was sent pages come bare, until as many records have come back`() throws {
        var echoes = ExpectedEchoes()
        let isBare1 = echoes.askForBarePage(true)
        #expect(!isBare1)
        echoes.expect(2_600)
        for _ in 0..<2 {
            let isBare2 = echoes.askForBarePage(true)
            #expect(isBare2)
            let isTaken = echoes.take(page(names(1_300))) { _ in true }
            #expect(isTaken)
        }
        let isBare3 = echoes.askForBarePage(true)
        #expect(!isBare3)
    }

    @Test func `a bare page with something new is not taken, and the next one comes in full`() throws {
        var echoes = ExpectedEchoes()
        echoes.expect(2_000)
        let isBare4 = echoes.askForBarePage(true)
        #expect(isBare4)
        let isTaken = echoes.take(page(names(10))) { $0.recordName != "r7" }
        #expect(!isTaken)
        let isBare5 = echoes.askForBarePage(true)
        #expect(!isBare5)
        let isTakenInFull = echoes.take(page(names(10))) { _ in false }
        #expect(isTakenInFull)
    }

    @Test func `little is not worth it, and without a token there is nothing to compare with`() {
        var echoes = ExpectedEchoes()
        echoes.expect(499)
        let isBare6 = echoes.askForBarePage(true)
        #expect(!isBare6)
        echoes.expect(1)
        let isBare7 = echoes.askForBarePage(false)
        #expect(!isBare7)
        let isBare8 = echoes.askForBarePage(true)
        #expect(isBare8)
    }
}
