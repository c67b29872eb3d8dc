import SluiceData

// Properties behind conditions of compilation, and an actor that owns a context.

@Model
final class JournalPage {
    var title: String
    var body = ""
    var writtenOn: Date = Date.now
    #if os(Linux)
        var host: String = "linux"
    #else
        var device: String = "phone"
    #endif
    #if os(macOS) || os(iOS)
        var widgetKind: Int = 0
    #endif
    var mood: Mood = .calm

    init(title: String) {
        self.title = title
    }

    enum Mood: String, Codable { case calm, angry }
}

struct JournalSummary: Sendable, Equatable {
    var title: String
    var letters: Int
}

@ModelActor
actor Journal {
    private var written = 0

    func write(_ title: String) {
        modelContext.insert(JournalPage(title: title))
        written += 1
    }

    func count() -> Int { written }
}
