@testable import SluiceData
import Testing
import SluiceStore
import SluiceSQLite

struct DebugTests {
    @Test func dbg() throws {
        let container = try ModelContainer(for: SmokeList.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let list = SmokeList(name: "shop")
        context.insert(list)
        list.items.append(SmokeItem(title: "milk"))
        try context.save()
        print(list._$state.key, list.items.map { $0._$state.key }, list.items.first?._$state.link(0) as Any)
        try container.bindings.stores[0].write { s in
            print(try s.connection.rows("SELECT * FROM SmokeItem") { $0.values() })
            print(try s.connection.rows("SELECT sql FROM sqlite_master WHERE type='table' AND name='SmokeItem'") { $0.text(0) })
        }
        let o = ModelContext(container)
        let f = try o.fetch(FetchDescriptor<SmokeList>())
        var r = SlotReading(1); f[0]._$visit(&r); print("slot", r.value as Any, f[0]._$state.link(0), f[0]._$state.core === o.core, o.core.members(of: f[0], at: 1).count, o.core.mistakes)
    }
}
