import SluiceData

@Model
final class Item {
    @Attribute(.unique) var id: UUID
    var title: String
    var isDone = false
    init(id: UUID = UUID(), title: String) { self.id = id; self.title = title }
}

let context = ModelContext(try ModelContainer(for: Item.self))
context.insert(Item(title: "milk"))
try context.save()
let open = try context.fetch(FetchDescriptor<Item>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)]))
print(open.map(\.title))
