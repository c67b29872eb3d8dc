import SluiceData
import Testing

@Model final class SmokeList {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \SmokeItem.list) var items: [SmokeItem] = []
    init(name: String) { self.name = name }
}

@Model final class SmokeItem {
    @Attribute(.unique) var id: UUID
    var title: String
    var count = 0
    var note: String?
    var list: SmokeList?
    init(id: UUID = UUID(), title: String, list: SmokeList? = nil) { self.id = id; self.title = title; self.list = list }
}

struct SmokeTests {
    @Test func `a saved graph comes back`() throws {
        let container = try ModelContainer(for: SmokeList.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let list = SmokeList(name: "shop")
        context.insert(list)
        list.items.append(SmokeItem(title: "milk"))
        list.items.append(SmokeItem(title: "eggs"))
        #expect(list.items.first?.list === list)
        try context.save()
        let other = ModelContext(container)
        let found = try #require(try other.fetch(FetchDescriptor<SmokeList>()).first)
        #expect(found.items.map(\.title).sorted() == ["eggs", "milk"])
        #expect(found !== list)
        other.delete(found)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<SmokeItem>()) == 0)
    }
}
