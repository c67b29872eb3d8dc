// E1, article 004: complete as printed. It uses UUID, Date and `.now` with one import.

import SwiftData

@Model
final class Note {
    var id: UUID
    var title: String
    var body: String
    var createdAt: Date
    var modifiedAt: Date

    init(id: UUID = UUID(), title: String, body: String = "") {
        self.id = id
        self.title = title
        self.body = body
        self.createdAt = .now
        self.modifiedAt = .now
    }
}
