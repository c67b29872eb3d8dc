import Foundation

/// A node of a predicate that has a form in SQL. The nodes are Foundation's, one file each in `Expressions`, and ours.
protocol TranslatableExpression {
    /// - Throws: `SwiftDataError.unsupportedPredicate`, saying what to write instead.
    func term(in translator: PredicateTranslator) throws -> SQLTerm
}

extension SwiftDataError {
    /// - Parameters:
    ///   - what: the expression, as the programmer knows it.
    ///   - advice: what to write instead.
    static func untranslatable(_ what: String, _ advice: String) -> SwiftDataError {
        unsupportedPredicate.because("\(what) has no counterpart in SQL; \(advice)")
    }

    /// Where a large value lies in a file, its column says only that.
    static func liesOutside(_ property: String) -> SwiftDataError {
        untranslatable(
            "a look into \(property), which is of external storage,", "compare it with nil, or keep what is asked for in a property of its own")
    }
}
