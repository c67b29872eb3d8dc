// What a client says it has seen: its sync token, and the change tags that it was told of since. A copy of the database that was put back without a
// word has the first, if it was made after it, and not the second.

import SluiceRecords

extension ServiceRequest {
    /// Change tags in one request.
    static let seenTagsMax = 1_000

    /// The versions that a Sluice client says it was told of; nobody else says so.
    /// - Throws: `StorageError.tokenOfAnotherTimeline` for a tag that no service of ours wrote.
    func seen(_ tags: [String]) throws -> [ChangeTag] {
        guard isSluice else { return [] }
        guard tags.count <= Self.seenTagsMax else { throw ServerError(.badRequest, "a request may name at most \(Self.seenTagsMax) seen change tags") }
        return try tags.map { text in
            guard let tag = ChangeTag(text: text) else { throw StorageError.tokenOfAnotherTimeline }
            return tag
        }
    }
}

extension SyncToken {
    /// Nil for nil.
    /// - Throws: `BAD_REQUEST` with Apple's words for what is no token of a zone.
    init?(ofZone text: String?) throws(ServerError) {
        guard let text else { return nil }
        do throws(Fault) { self = try SyncToken(text: text, scope: .zone) } catch { throw ServerError(.badRequest, error.rawValue) }
    }
}
