// E5, article 004. Added: the import line, and a scope that throws; the configuration is returned beside the attempt, to be looked at.

import SwiftData

enum NotesConfiguration {
    static func open() -> (configuration: ModelConfiguration, result: Result<ModelContainer, any Error>) {
        let configuration = ModelConfiguration(
            "Notes",
            schema: Schema([Note.self]),
            cloudKitDatabase: .private("iCloud.com.example.notes")
        )

        return (configuration, Result {
            let container = try ModelContainer(
                for: Schema([Note.self]),
                configurations: [configuration]
            )
            return container
        })
    }
}
