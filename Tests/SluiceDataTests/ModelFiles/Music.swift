import SluiceData

// Types nested in types, a tree, an ordered to-many, and a property whose type has a name that the storage uses too.

enum Music {
    struct Model: Codable, Equatable {
        var maker: String
        var year: Int
    }

    @Model
    final class Album {
        var name: String
        var released: Int?
        @Relationship(.ordered, deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []
        @Attribute(.externalStorage) var cover: Data?

        init(name: String) {
            self.name = name
        }
    }

    @Model
    final class Track {
        var title: String
        var seconds: Double
        var album: Album?

        init(title: String, seconds: Double = 0) {
            self.title = title
            self.seconds = seconds
        }
    }

    enum Studio {
        @Model
        final class Instrument {
            var model: Model
            var earlier: Model?
            var spares: [Model] = []
            var part: Instrument?
            @Relationship(inverse: \Instrument.part) var parts: [Instrument] = []

            init(model: Model) {
                self.model = model
            }
        }
    }
}

extension Music {
    @Model
    final class Playlist {
        enum Order: String, Codable { case manual, title }

        var name: String
        var order: Order = .manual
        var albums: [Album] = []

        init(name: String) {
            self.name = name
        }
    }
}
