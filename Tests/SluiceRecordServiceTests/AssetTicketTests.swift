import Foundation
import Testing

@testable import SluiceRecordService

/// Texts that open a file for a while.
@Suite struct AssetTicketTests {
    private let tickets = AssetTickets(key: Data(repeating: 7, count: 32))
    private let asset = AssetID(random: { 0x0123_4567_89AB_CDEF })
    private let database = DatabaseID(rawValue: 42)

    @Test func `each kind opens what it was made for, until its time`() {
        let upload = AssetTickets.Upload(database: database, tokenID: 9)
        let text = tickets.upload(upload, now: 1_000, random: 5)
        #expect(tickets.upload(text, now: 1_000) == upload)
        #expect(tickets.upload(text, now: 1_000 + AssetTickets.uploadTime - 1) == upload)
        #expect(tickets.upload(text, now: 1_000 + AssetTickets.uploadTime) == nil)
        let download = tickets.download(asset, in: database, now: 1_000)
        #expect(tickets.download(download, now: 1_000 + AssetTickets.downloadTime)?.asset == asset)
        #expect(tickets.download(download, now: 1_000 + AssetTickets.downloadTime)?.database == database)
        #expect(tickets.download(download, now: 1_000 + AssetTickets.downloadTime + 15 * 60_000) == nil)
        #expect(tickets.asset(receipt: tickets.receipt(asset, in: database), in: database) == asset)
        #expect(text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
    }

    @Test func `no bit may be changed, no kind stands for another, and another service's are worth nothing`() throws {
        let texts = [tickets.upload(.init(database: database, tokenID: 9), now: 0, random: 5), tickets.receipt(asset, in: database), tickets.download(asset, in: database, now: 0)]
        func opens(_ text: String, _ tickets: AssetTickets, in database: DatabaseID) -> [Bool] {
            [tickets.upload(text, now: 1) != nil, tickets.asset(receipt: text, in: database) != nil, tickets.download(text, now: 1) != nil]
        }
        for (index, text) in texts.enumerated() {
            #expect(opens(text, tickets, in: database) == (0..<3).map { $0 == index })
            #expect(opens(text, AssetTickets(key: Data(repeating: 8, count: 32)), in: database) == [false, false, false])
            for position in text.indices {
                for other in ["A", "z"] where other != String(text[position]) {
                    var changed = text
                    changed.replaceSubrange(position...position, with: other)
                    // The last digit of base64 has bits that say nothing.
                    if position == text.index(before: text.endIndex) { continue }
                    #expect(opens(changed, tickets, in: database) == [false, false, false])
                }
            }
        }
        #expect(tickets.asset(receipt: texts[1], in: DatabaseID(rawValue: 43)) == nil)
        for garbage in ["", "=", "AAAA", "é", String(repeating: "A", count: 100_000), texts[0] + "A", String(texts[0].dropLast(3))] {
            #expect(opens(garbage, tickets, in: database) == [false, false, false])
        }
    }

    @Test func `a name of an upload is 32 digits and nothing else`() {
        #expect(AssetID(text: asset.description) == asset && asset.description.count == 32)
        for text in ["", "0123", String(repeating: "+1", count: 16), String(repeating: "-1", count: 16), String(repeating: "g", count: 32), String(repeating: "é", count: 16)] {
            #expect(AssetID(text: text) == nil)
        }
    }
}
