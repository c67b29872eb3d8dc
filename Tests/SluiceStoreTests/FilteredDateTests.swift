import Foundation
import SluiceSchema
import SluiceSQLite
import Testing

@testable import SluiceStore

@Suite struct FilteredDateTests {
    @Test func `a date is found by the very text that it was given as`() throws {
        let fixture = try StoreFixture([Entity("Event", attributes: [Attribute("at", .date)])])
        let store = fixture.store
        let texts = (0..<1_000).map { "2026-11-30T12:00:00.\(String(repeating: "0", count: 3 - "\($0)".count))\($0)Z" }
        try store.write {
            for text in texts {
                let value = try #require(ScalarForm.string(text).property(as: .date))
                try store.put("Event", RowEdit(attributes: ["at": value]))
            }
        }
        let missed = try texts.filter { text in
            let query = try RowQuery("Event", in: store.layout, where: try RowFilter(parsing: "at == \"\(text)\""))
            return try store.connection.integer(query.count.sql, query.count.values) != 1
        }
        #expect(missed.isEmpty, "\(missed.count) of \(texts.count) are missed")
    }
}
