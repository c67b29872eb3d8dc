import SluiceSchema

// To search text without regard to case takes Foundation's tables of letters, which a helper does not link. SQLite would find that out at
// the first row that is asked about it, or never where there is none; so it is said before anything is read.

extension RowFilter {
    /// - Throws: `FilterError.unsupported` where the condition needs what a helper does not have.
    func requireHelperFunctions() throws(FilterError) {
        guard let test = FilterExpression(self).foldedTest else { return }
        throw .unsupported(property: test.rawValue, reason: "a helper cannot do it; write a rule with it into the account's projection")
    }
}

extension FilterExpression {
    /// The first test in it that folds case.
    fileprivate var foldedTest: TextTest? {
        switch self {
        case .text(_, let test, _) where test == .localizedStandardContains || test == .caseInsensitiveCompare: test
        case .literal, .path: nil
        case .and(let one, let other), .or(let one, let other), .comparison(let one, _, let other), .text(let one, _, let other),
            .arithmetic(let one, _, let other), .coalesce(let one, let other):
            one.foldedTest ?? other.foldedTest
        case .not(let inner), .membership(let inner, _), .length(let inner): inner.foldedTest
        case .choice(let condition, let one, let other): condition.foldedTest ?? one.foldedTest ?? other.foldedTest
        case .some(let members), .all(let members): members.condition?.foldedTest
        case .aggregate(let aggregate): aggregate.members.condition?.foldedTest
        }
    }
}
