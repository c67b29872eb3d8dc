import Foundation
import SluiceData
import Testing

@Suite struct ClosingTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private var logByteCount: Int {
        get throws { try URL(filePath: folder.path() + "-wal").resourceValues(forKeys: [.fileSizeKey]).fileSize ?? -1 }
    }

    @Test func `a store that was read and written leaves no log to be read by whoever opens it next`() throws {
        do {
            let context = ModelContext(try folder.container(for: Track.self, Album.self))
            for number in 0..<50 { context.insert(Track(title: "\(number)")) }
            try context.save()
            #expect(try ModelContext(context.container).fetch(FetchDescriptor<Track>()).count == 50)
            #expect(try logByteCount > 0)
        }
        #expect(try logByteCount == 0)
        #expect(try ModelContext(try folder.container(for: Track.self, Album.self)).fetchCount(FetchDescriptor<Track>()) == 50)
    }
}
