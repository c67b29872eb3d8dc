import Foundation
import SluiceData
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClosingTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private var logByteCount: Int {
        get throws { try URL(filePath: folder.path() + "-wal").resourceValues(forKeys: [.fileSizeKey]).fileSize ?? -1 }
    }

    @Test func `a store that was read and written leaves no log to be read by whoever opens it next`() async throws {
        do {
            let context = ModelContext(try folder.container(for: Track.self, Album.self))
            for number in 0..<50 { context.insert(Track(title: "\(number)")) }
            try context.save()
            #expect(try ModelContext(context.container).fetch(FetchDescriptor<Track>()).count == 50)
            #expect(try logByteCount > 0)
        }
        // A queue that still tells of the last commit may hold the container for a moment.
        while try logByteCount > 0 { await Task.yield() }
        #expect(try ModelContext(try folder.container(for: Track.self, Album.self)).fetchCount(FetchDescriptor<Track>()) == 50)
    }
}
