public import Foundation

/// Who edits: one per context.
public struct EditingState: Identifiable, Sendable {
    public let id: UUID
    /// Who history says wrote it.
    public var author: String?

    init(id: UUID = UUID(), author: String? = nil) {
        self.id = id
        self.author = author
    }
}
