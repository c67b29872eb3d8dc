@testable import SluiceData
import Testing

/// What has no counterpart in SQL is refused, with its name and what to write instead; it is never answered by reading every row.
@Suite struct PredicateRefusalTests {
    private func explanation(_ predicate: Predicate<Piece>) throws -> String {
        let gallery = try Gallery()
        let error = #expect(throws: SwiftDataError.unsupportedPredicate) { try gallery.context.fetch(FetchDescriptor(predicate: predicate)) }
        return error?.explanation ?? ""
    }

    @Test func `a computed property of a model`() throws {
        let text = try explanation(#Predicate { $0.isHeavy })
        #expect(text.contains("computed property") && text.contains("stored properties"))
    }

    @Test func `a forced unwrapping`() throws {
        #expect(try explanation(#Predicate { $0.note! == "a" }).contains("!= nil"))
    }

    @Test func `a forced cast`() throws {
        let gallery = try Gallery()
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try gallery.context.fetch(FetchDescriptor(predicate: #Predicate<Vehicle> { ($0 as! Car).doors == 2 }))
        }
    }

    @Test func `a closure over a codable value that looks at the model`() throws {
        #expect(try explanation(#Predicate { piece in piece.tags.contains { $0 > piece.name } }).contains("relationship"))
    }

    @Test func `an index into a relationship`() throws {
        #expect(try explanation(#Predicate { $0.parts[0].label == "a" }).contains("model"))
    }
}
