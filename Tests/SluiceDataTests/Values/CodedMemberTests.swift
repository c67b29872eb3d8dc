import Foundation
import SluiceData
import Testing

@Suite struct CodedMemberTests {
    private struct Place: Codable {
        enum Kind: String, Codable { case home, work }
        struct Point: Codable {
            var north = 1.5
            var east: Double?
        }
        var street = "Lane"
        var zip = "1000"
        var kind = Kind.work
        var when = Date(timeIntervalSinceReferenceDate: 12)
        var point: Point? = Point()

        enum CodingKeys: String, CodingKey {
            case street = "street_name"
            case zip, kind, when, point
        }
    }

    /// Codes itself by hand, its member in another form.
    private struct Shouted: Codable {
        var word = "a"
        init() {}
        init(from decoder: any Decoder) throws { word = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .word).lowercased() }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(word.uppercased(), forKey: .word)
        }
        private enum Key: CodingKey { case word }
    }

    private func find(_ names: String..., in value: some Codable) throws -> CodedMember {
        CodedMember.find(names, of: type(of: value), in: try CanonicalJSON.encode(value))
    }

    @Test func `a member lies under its name, or under the key that the type gives it`() throws {
        #expect(try find("zip", in: Place()) == .keys(["zip"]))
        #expect(try find("street", in: Place()) == .keys(["street_name"]))
        #expect(try find("kind", in: Place()) == .keys(["kind"]))
        #expect(try find("when", in: Place()) == .keys(["when"]))
        #expect(try find("point", "north", in: Place()) == .keys(["point", "north"]))
    }

    @Test func `a value that has nothing there says nothing about the key`() throws {
        #expect(try find("point", "east", in: Place()) == .undetermined)
        #expect(try find("point", "north", in: Place(point: nil)) == .undetermined)
        #expect(try find("street", in: Place(street: "1000")) == .undetermined)
    }

    @Test func `a member in another form, or of something that is no object, is not to be had`() throws {
        #expect(try find("word", in: Shouted()) == .unavailable)
        #expect(try find("nowhere", in: Place()) == .unavailable)
        #expect(try find("first", in: [1, 2]) == .unavailable)
        #expect(CodedMember.find(["zip"], of: Place.self, in: Data("no JSON".utf8)) == .unavailable)
    }
}
