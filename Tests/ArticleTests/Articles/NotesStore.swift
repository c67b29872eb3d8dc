// E4, article 004. Added: the import line.

import SwiftData

struct NoteSummary: Sendable {
    let id: UUID
    let title: String
}

@ModelActor
actor NotesStore {
    func recent(limit: Int) throws -> [NoteSummary] {
        var descriptor = FetchDescriptor<Note>(
            sortBy: [SortDescriptor(\.modifiedAt, order: .reverse)]
        )
        descriptor.fetchLimit = limit

        return try modelContext.fetch(descriptor).map {
            NoteSummary(id: $0.id, title: $0.title)
        }
    }
}
