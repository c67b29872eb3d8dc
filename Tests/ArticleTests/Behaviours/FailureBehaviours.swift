import SwiftData
import Testing

/// Behaviours 86 to 88: what fails says so, and nobody's data goes for it.
@Suite struct FailureBehaviours {
    @Test func `behaviour 86: a store in a place that cannot hold one fails with the reason`() throws {
        let folder = try StoreFolder()
        let obstacle = folder.url.appending(path: "file")
        try Data("text".utf8).write(to: obstacle)
        let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
            let configuration = ModelConfiguration(url: obstacle.appending(path: "Test.store", directoryHint: .notDirectory))
            _ = try ModelContainer(for: Note.self, configurations: configuration)
        }
        #expect(error?.underlyingError != nil && error?.explanation?.contains("Test") == true)
    }

    @Test(.enabled(if: BuildKind.failsOnDemand))
    func `behaviour 86: a save on a full disk throws, keeps what is pending, and can be tried again`() async throws {
        let folder = try StoreFolder()
        await #expect(processExitsWith: .success) { [path = folder.file().path as String] in
            // The disk fills up in the middle of the saves below, and has room again five writes later.
            setenv("SLUICE_DISK_FAULT", "full:80", 1)
            let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: URL(filePath: path))))
            var failures = 0
            for number in 0..<100 {
                context.insert(Note(title: "\(number)", body: String(repeating: "x", count: 2_000)))
                do { try context.save() } catch {
                    failures += 1
                    #expect(context.hasChanges)
                    #expect("\(error)".contains("full"), "\(error)")
                }
            }
            try context.save()
            #expect(failures > 0 && failures < 100)
            #expect(try context.count(Note.self) == 100)
        }
        let context = ModelContext(try ModelContainer(for: Note.self, configurations: folder.configuration()))
        #expect(try Set(context.all(Note.self).map(\.title)) == Set((0..<100).map(String.init)))
    }

    @Test(arguments: ["These are words, not pages.", "SQLite format 3\0 and then nothing that SQLite wrote"])
    func `behaviour 87: a file that cannot be opened is never replaced`(content: String) throws {
        let folder = try StoreFolder()
        try Data(content.utf8).write(to: folder.file())
        let before = try folder.digests()
        for allowsSave in [true, false] {
            let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
                _ = try ModelContainer(for: Note.self, configurations: folder.configuration(allowsSave: allowsSave))
            }
            #expect(error?.underlyingError != nil)
        }
        #expect(try folder.digests() == before)
    }

    @Test func `behaviour 88: after a failure the app decides, with everything still there`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let before = try folder.digests()
        do {
            _ = try ModelContainer(for: RemindersWithWords.Reminder.self, configurations: folder.configuration())
            Issue.record("a store of another shape was opened")
        } catch SwiftDataError.loadIssueModelContainer {
            // The decision here: keep the old store under another name, and begin anew.
            try folder.copy("Test", to: "Kept")
            let fresh = folder.configuration("Fresh")
            let context = ModelContext(try ModelContainer(for: RemindersWithWords.Reminder.self, configurations: fresh))
            context.insert(RemindersWithWords.Reminder(text: "milk", priority: "high"))
            try context.save()
        }
        #expect(try folder.digests().filter { $0.hasSuffix("Test.store") } == before.filter { $0.hasSuffix("Test.store") })
        let kept = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration("Kept")))
        #expect(try kept.count(Reminders1.Reminder.self) == 2)
    }
}
