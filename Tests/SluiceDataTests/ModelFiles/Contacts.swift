import SluiceData

// Models that encode and decode themselves, and a to-one on both sides.

@Model
final class Contact: Codable {
    enum CodingKeys: String, CodingKey {
        case givenName, familyName, emails, birthday
    }

    struct Email: Codable, Hashable {
        var label: String
        var address: String
    }

    @Attribute(.unique) var id: UUID = UUID()
    var givenName: String
    var familyName: String
    var emails: [Email]
    @Attribute(.preserveValueOnDeletion) var birthday: Date?
    @Relationship(deleteRule: .nullify, inverse: \Card.contact) var card: Card?

    init(givenName: String, familyName: String) {
        self.givenName = givenName
        self.familyName = familyName
        emails = []
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        givenName = try values.decode(String.self, forKey: .givenName)
        familyName = try values.decode(String.self, forKey: .familyName)
        emails = try values.decodeIfPresent([Email].self, forKey: .emails) ?? []
        birthday = try values.decodeIfPresent(Date.self, forKey: .birthday)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(givenName, forKey: .givenName)
        try values.encode(familyName, forKey: .familyName)
        try values.encode(emails, forKey: .emails)
        try values.encodeIfPresent(birthday, forKey: .birthday)
    }
}

@Model
final class Card {
    var holder: String
    @Relationship(.unique) var contact: Contact?

    init(holder: String, contact: Contact? = nil) {
        self.holder = holder
        self.contact = contact
    }
}
