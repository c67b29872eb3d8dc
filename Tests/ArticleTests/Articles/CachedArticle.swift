// E2, article 004. Added: the import line.

import SwiftData

@Model
final class CachedArticle {
    #Unique<CachedArticle>([\.sourceID, \.remoteID])
    #Index<CachedArticle>([\.updatedAt])

    var sourceID: String
    var remoteID: String
    var updatedAt: Date
    var title: String

    init(sourceID: String, remoteID: String, title: String) {
        self.sourceID = sourceID
        self.remoteID = remoteID
        self.updatedAt = .now
        self.title = title
    }
}
