import SluiceData
import Testing

/// A container in memory with rows to ask about.
struct Gallery {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Piece.self, Hall.self, Part.self, Person.self, Topic.self, Vehicle.self, Car.self, Trailer.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    @discardableResult
    func add(_ name: String, _ edit: (inout PieceValues) -> Void = { _ in }) -> Piece {
        var values = PieceValues()
        edit(&values)
        let piece = Piece(name: name, values: values)
        context.insert(piece)
        return piece
    }

    /// The names of the pieces that a fetch finds, sorted; the same predicate in memory must find the same.
    func names(_ predicate: Predicate<Piece>?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        try context.save()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
        let expected = try context.fetch(FetchDescriptor<Piece>()).filter { try predicate?.evaluate($0) ?? true }.map(\.name).sorted()
        #expect(found == expected, "in memory", sourceLocation: sourceLocation)
        return found
    }

    func count(_ predicate: Predicate<Piece>?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        try names(predicate, sourceLocation: sourceLocation).count
    }
}
