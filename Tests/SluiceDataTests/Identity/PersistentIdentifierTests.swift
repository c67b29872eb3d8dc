import Foundation
import SluiceData
import Testing

@Suite struct PersistentIdentifierTests {
    private let origin = IdentifierOrigin(storeIdentifier: "S-1", entityName: "Car", rootEntityName: "Vehicle")

    private func recoded(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    }

    @Test func `one row has one identity, under its own entity and under its root's`() {
        let car = PersistentIdentifier(origin, row: 5)
        #expect(car == PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-1", entityName: "Car", rootEntityName: "Vehicle"), row: 5))
        #expect(car == PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-1", entityName: "Vehicle"), row: 5))
        #expect(Set([car, PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-1", entityName: "Vehicle"), row: 5)]).count == 1)
        #expect(car != PersistentIdentifier(origin, row: 6))
        #expect(car != PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-2", entityName: "Car", rootEntityName: "Vehicle"), row: 5))
        #expect(car != PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-1", entityName: "Owner"), row: 5))
    }

    @Test func `a decoded identifier equals the one that was encoded`() throws {
        let foreign = IdentifierOrigin(storeIdentifier: "a b/ü", entityName: "Note")
        let identifiers = [
            PersistentIdentifier(origin, row: .max), PersistentIdentifier(origin, row: -1),
            PersistentIdentifier(
                IdentifierOrigin(storeIdentifier: nil, entityName: "Car"), temporary: PersistentIdentifier.nextTemporaryNumber()),
            PersistentIdentifier(foreign, .custom("k/%20 é")), PersistentIdentifier(foreign, .custom("")),
        ]
        for identifier in identifiers {
            let copy = try recoded(identifier)
            #expect(copy == identifier && copy.hashValue == identifier.hashValue)
            #expect(copy.entityName == identifier.entityName && copy.storeIdentifier == identifier.storeIdentifier)
        }
    }

    @Test func `the encoded form carries the URI and the members that SwiftData's has`() throws {
        let bytes = try JSONEncoder().encode(PersistentIdentifier(origin, row: 7))
        let form = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: [String: Any]])
        #expect(form["implementation"]?["uriRepresentation"] as? String == "x-coredata://S-1/Car/p7")
        #expect(form["implementation"]?["primaryKey"] as? String == "p7")
        #expect(form["implementation"]?["isTemporary"] as? Bool == false)
        #expect(PersistentIdentifier(origin, row: 7).description == "x-coredata://S-1/Car/p7")
        let foreign = PersistentIdentifier(IdentifierOrigin(storeIdentifier: "a/ü", entityName: "Note"), .custom("k/%"))
        #expect(foreign.description == "x-coredata://a%2F%C3%BC/Note/ck%2F%25")
    }

    @Test func `what is no identifier does not decode`() {
        func form(_ key: String, _ entity: String = "Car") -> Data {
            Data(
                #"{"implementation":{"entityName":"\#(entity)","isTemporary":false,"primaryKey":"\#(key)","uriRepresentation":""}}"#.utf8)
        }
        #expect(throws: Never.self) { try JSONDecoder().decode(PersistentIdentifier.self, from: form("p1")) }
        for key in ["", "p", "px", "p99999999999999999999", "t1", "tx-1", "t1-2-3", "c%zz", "7"] {
            #expect(throws: DecodingError.self, "\(key)") { try JSONDecoder().decode(PersistentIdentifier.self, from: form(key)) }
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PersistentIdentifier.self, from: form("p1", "")) }
    }

    @Test func `new models have identifiers of their own until they are saved`() async {
        let origin = IdentifierOrigin(storeIdentifier: nil, entityName: "Car")
        let identifiers = await withTaskGroup(of: PersistentIdentifier.self) { group in
            for _ in 0..<100 { group.addTask { PersistentIdentifier(origin, temporary: PersistentIdentifier.nextTemporaryNumber()) } }
            return await group.reduce(into: Set<PersistentIdentifier>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 100)
        #expect(identifiers.allSatisfy { $0.isTemporary && $0.storeIdentifier == nil && $0.rowKey == nil })
    }

    @Test func `rows sort by store, entity and key, and new models come last`() throws {
        let rows = [10, 9, -3].map { PersistentIdentifier(origin, row: $0) }
        let owner = PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-1", entityName: "Owner"), row: 1)
        let earlier = PersistentIdentifier(IdentifierOrigin(storeIdentifier: "S-0", entityName: "Owner"), row: 1)
        let new = PersistentIdentifier(IdentifierOrigin(storeIdentifier: nil, entityName: "Car"), temporary: 1)
        let custom = try PersistentIdentifier.identifier(for: "S-1", entityName: "Vehicle", primaryKey: "a")
        #expect((rows + [new, custom, owner, earlier]).sorted() == [earlier, owner, rows[2], rows[1], rows[0], custom, new])
        #expect(!(new < new))
    }

    @Test func `an identifier made by hand for an integer key is the row's`() throws {
        let made = try PersistentIdentifier.identifier(for: "S-1", entityName: "Car", primaryKey: 5)
        #expect(made == PersistentIdentifier(origin, row: 5) && made.id == PersistentIdentifier(origin, row: 5).id)
        #expect(try PersistentIdentifier.identifier(for: "S-1", entityName: "Car", primaryKey: "5") != made)
        #expect(throws: SwiftDataError.invalidConfiguration) {
            try PersistentIdentifier.identifier(for: "", entityName: "Car", primaryKey: 5)
        }
    }
}
