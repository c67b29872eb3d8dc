import SluiceData

// Accessors written by hand as SwiftData's expansion has them, and names that collide with the macro's own words.

@Model
final class Message {
    var text: String {
        @storageRestrictions(accesses: _$backingData, initializes: _text)
        init(initialValue) {
            _$backingData.setValue(forKey: \.text, to: initialValue)
            _text = _SwiftDataNoType()
        }
        get {
            _$observationRegistrar.access(self, keyPath: \.text)
            return self.getValue(forKey: \.text)
        }
        set {
            _$observationRegistrar.withMutation(of: self, keyPath: \.text) {
                self.setValue(forKey: \.text, to: newValue)
            }
        }
    }
    @Transient private var _text: _SwiftDataNoType = _SwiftDataNoType()

    var sentOn: Date = Date.now
    var room: ChatRoom?

    init(text: String) {
        self.text = text
    }

    func markEdited() {
        withMutation(keyPath: \.sentOn) { sentOn = .now }
        access(keyPath: \.text)
    }
}

@Model
final class ChatRoom {
    var row = 0
    var base = "general"
    var state: State = .quiet
    var visitor: String?
    var slot: Int = 1
    var initialValue: Double = 0
    var metadata: [String: String] = [:]
    var `class`: String = "public"
    var `default`: Bool = false
    var `self`: Int = 0
    var `init`: Int?
    var rowid: Int = 0
    var order: Int = 0
    var description2: String?
    @Relationship(deleteRule: .cascade, inverse: \Message.room) var messages: [Message] = []

    enum State: String, Codable { case quiet, busy }

    init(base: String) {
        self.base = base
    }
}
