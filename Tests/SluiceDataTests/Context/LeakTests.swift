import Foundation
import SluiceData
import Testing

/// Nothing that was loaded, deleted or dropped stays in memory.
@Suite(.serialized) struct LeakTests {
    /// Resident memory of this process, in bytes.
    private func used() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return try #require(pages) * 4_096
    }

    @Test func `a context that goes takes its models along, unsaved ones and graphs that refer to each other too`() throws {
        let stacks = try Stacks()
        weak var context: ModelContext?
        weak var writer: Writer?
        weak var volume: Volume?
        do {
            let own = stacks.other
            let one = Writer(name: "Ada")
            own.insert(one)
            one.books.append(Volume(title: "Notes"))
            (context, writer, volume) = (own, one, one.books.first)
            #expect(volume?.author === one)
        }
        #expect(context == nil)
        #expect(writer == nil)
        #expect(volume == nil)
    }

    @Test func `a saved model goes with its last holder, and its context has another instance next time`() throws {
        let stacks = try Stacks()
        stacks.context.insert(Volume(title: "Notes"))
        try stacks.context.save()
        let context = stacks.other
        let title = try context.only(Volume.self)?.title
        #expect(title == "Notes")
        let again: Volume? = context.registeredModel(for: try #require(try context.fetchIdentifiers(FetchDescriptor<Volume>()).first))
        #expect(again == nil)
        #expect(try context.only(Volume.self)?.title == "Notes")
    }

    @Test func `10,000 cycles of fetching, deleting and rolling back take no more memory than 1,000`() throws {
        let stacks = try Stacks()
        for number in 0..<5 { stacks.context.insert(Volume(title: "\(number)", author: Writer(name: "\(number)"))) }
        try stacks.context.save()
        let context = stacks.other
        func cycle() throws {
            for volume in try context.all(Volume.self) {
                _ = volume.author?.books.count
                context.delete(volume)
            }
            context.rollback()
        }
        for _ in 0..<1_000 { try cycle() }
        let before = try used()
        for _ in 0..<9_000 { try cycle() }
        // Other tests run beside this one and hold memory of their own; a leak of one model per cycle would be twenty times this.
        #expect(try used() - before < 40_000_000)
    }
}
