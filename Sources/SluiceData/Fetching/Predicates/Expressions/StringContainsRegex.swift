import Foundation

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.compute(translator.term(subject), translator.term(regex)) { (subject: Subject.Output, regex: Regex.Output) in
            subject.contains(regex)
        }
    }
}
